import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const input = (field: string): string =>
  flow("  - { name: a, type: set, value: '1' }", { section: `input: { n: { ${field} } }` });

ruleCases("default-type", [
  { name: "refuses text for a number", files: input("type: number, default: three"), lines: [1] },
  { name: "does not take a boolean for a number", files: input("type: number, default: true"), lines: [1] },
  { name: "refuses a list for an object", files: input("type: object, default: []"), lines: [1] },
  {
    name: "says how a version without quotes is kept",
    files: input("type: string, default: 1.10"),
    lines: [1],
    message: /Put it in quotes to keep it as it is written: `default: "1\.10"`\./,
    suggests: '"1.10"',
  },
  {
    name: "takes the right type, and no default",
    files: flow("  - { name: a, type: set, value: '1' }", {
      section:
        "input: { a: { type: array, default: [1] }, b: { type: string, default: null }, c: { type: boolean, default: false } }",
    }),
    lines: [],
  },
]);
