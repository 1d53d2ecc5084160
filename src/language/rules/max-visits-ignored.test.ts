import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const limited = (limits: string): string =>
  flow("  - { name: a, type: set, value: 1 }", { section: `limits: { ${limits} }` });

ruleCases("max-visits-ignored", [
  { name: "finds both limits in one file", files: limited("max_iterations: 20, max_visits: 3"), lines: [1] },
  { name: "allows one of them", files: limited("max_visits: 3"), lines: [] },
  { name: "allows the other", files: limited("max_iterations: unlimited"), lines: [] },
]);
