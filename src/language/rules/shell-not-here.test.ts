import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const files = flow("  - { name: a, type: script, command: sh, args: [-c, ls] }");

ruleCases("shell-not-here", [
  { name: "speaks of a shell that the machine has not", files, lacks: ["sh"], lines: [3], message: /Git for Windows/ },
  { name: "is silent where it is", files, lacks: ["bash"], lines: [] },
]);
