import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (phase: string): string =>
  flow(`  - { name: a, type: set, value: '1', phase: ${phase} }`, { section: "phases: [build, ship]" });

ruleCases("unknown-phase", [
  { name: "finds a misspelt phase", files: file("bild"), lines: [3], suggests: "build" },
  { name: "is content with a listed one", files: file("ship"), lines: [] },
]);
