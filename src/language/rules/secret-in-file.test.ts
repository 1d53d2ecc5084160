import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const env = (entry: string): string => flow(`  - { name: a, type: script, command: x, env: { ${entry} } }`);

ruleCases("secret-in-file", [
  { name: "knows a token by its looks", files: env(`X: ghp_${"a1B2".repeat(9)}`), lines: [3] },
  {
    name: "knows one inside a longer text",
    files: flow(`  - { name: a, type: http, url: 'http://x', headers: { x: 'Bearer ${"abcd1234".repeat(3)}' } }`),
    lines: [3],
  },
  {
    name: "knows a secret by the name of its field",
    files: env("GITHUB_TOKEN: abc12345"),
    lines: [3],
    suggests: "${GITHUB_TOKEN}",
  },
  {
    name: "takes references and templates",
    files: env('API_KEY: "${KEY:-placeholder-key}", TOKEN: "{{ workflow.input.token }}"'),
    lines: [],
  },
  {
    name: "leaves look-alikes alone",
    files: env("MAX_TOKENS: '12345678', AUTHOR: somebody-else, TOKENIZER: wordpiece"),
    lines: [],
  },
]);
