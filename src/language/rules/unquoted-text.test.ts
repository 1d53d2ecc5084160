import { flow, ruleCases } from "./rule-cases.ts";

const calling = (mapping: string): Record<string, string> => ({
  "main.yaml": flow(`  - { name: a, type: workflow, workflow: child.yaml, input_mapping: { ${mapping} } }`),
  "child.yaml": flow("  - { name: b, type: set, value: '1' }", {
    entry: "b",
    section: "input: { version: { type: string, default: '' }, n: { type: number, default: 0 } }",
  }),
});

ruleCases("unquoted-text", [
  {
    name: "says that a version without quotes loses its zero",
    files: calling("version: 1.10"),
    lines: [3],
    message: /`1\.10` without quotes is the number 1\.1\. Put it in quotes to keep it: `"1\.10"`\./,
    suggests: '"1.10"',
  },
  { name: "says it of leading zeros and exponents", files: calling("version: 1e3"), lines: [3] },
  { name: "takes numbers that print as they are written", files: calling("version: 42, n: 1.10"), lines: [] },
  { name: "takes what is in quotes", files: calling('version: "1.10"'), lines: [] },
]);
