import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const field = (text: string) => flow(`  - { name: a, prompt: p, output: { f: { ${text} } } }`);

ruleCases("output-constraint", [
  ...[
    "type: number, pattern: x",
    "type: string, minimum: 1",
    "type: number, enum: [a, b]",
    "type: array, items: { type: boolean, maxLength: 3 }",
    "type: object, properties: { g: { type: string, maximum: 3 } }",
    "type: string, pattern: 'a++'",
    "type: string, pattern: '[a'",
  ].map((text) => ({ name: `refuses ${text}`, files: field(text), lines: [3] })),
  ...[
    "type: string, pattern: '^(?!draft)(?P<v>v)\\d+\\Z', minLength: 1",
    "type: number, enum: [1, 2], minimum: 1",
    "type: boolean, enum: [true]",
  ].map((text) => ({ name: `allows ${text}`, files: field(text), lines: [] })),
]);
