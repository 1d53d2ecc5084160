import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

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
  {
    name: "says it of what a step sets or sends, and of what the workflow gives",
    files: {
      "main.yaml": `${flow(
        "  - { name: a, type: set, values: { v: 1.10, z: 0042, n: 1, f: 2.5 }, routes: [{ to: b }] }\n  - { name: b, type: http, url: 'http://x.example', method: POST, query: { w: 1.10 }, body: { list: [12345678901234567890] } }",
      )}output: { o: 7.0 }\n`,
    },
    lines: [3, 3, 4, 4, 5],
  },
  { name: "takes what is in quotes", files: calling('version: "1.10"'), lines: [] },
]);
