import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (fields: string): string =>
  flow(`  - { name: a, type: script, ${fields} }`, { section: "input: { b: { type: string } }" });

ruleCases("shell-template", [
  {
    name: "finds a template in the text of sh -c",
    files: file('command: sh, args: [-c, "git checkout {{ workflow.input.b }}"]'),
    lines: [3],
    message: /"\$1".*env/,
  },
  {
    name: "knows bash with more flags",
    files: file('command: /bin/bash, args: [-euc, "x {{ workflow.input.b }}"]'),
    lines: [3],
  },
  { name: "knows env", files: file('command: env, args: [bash, -c, "x {{ workflow.input.b }}"]'), lines: [3] },
  {
    name: "says it once for each text",
    files: file('command: sh, args: [-c, "{{ workflow.input.b }} {{ workflow.input.b }}"]'),
    lines: [3],
  },
  {
    name: "points at the line of a longer text",
    files: flow(
      `
  - name: a
    type: script
    command: sh
    args:
      - -c
      - |
        set -e
        echo {{ workflow.input.b }}`,
      { section: "input: { b: { type: string } }" },
    ),
    lines: [10],
  },
  {
    name: "is content with an argument",
    files: file(`command: sh, args: [-c, 'git checkout "$1"', sh, "{{ workflow.input.b }}"]`),
    lines: [],
  },
  {
    name: "is content with env",
    files: file(`command: sh, args: [-c, 'echo "$B"'], env: { B: "{{ workflow.input.b }}" }`),
    lines: [],
  },
  {
    name: "is content with numbers",
    files: file('command: sh, args: [-c, "head -n {{ workflow.input.b | int }}; echo {{ context.iteration }}"]'),
    lines: [],
  },
  {
    name: "is content with a choice between the author's own words",
    files: file(`command: sh, args: [-c, "exit {{ 0 if workflow.input.b else 1 }}"]`),
    lines: [],
  },
  {
    name: "finds a value behind such a choice",
    files: file(`command: sh, args: [-c, "x {{ 'a' if workflow.input.b else workflow.input.b }}"]`),
    lines: [3],
  },
  {
    name: "is content without a shell",
    files: file('command: git, args: [checkout, "{{ workflow.input.b }}"]'),
    lines: [],
  },
  {
    name: "knows an option with a word behind it",
    files: file('command: bash, args: [-e, -o, pipefail, -c, "x {{ workflow.input.b }}"]'),
    lines: [3],
  },
  {
    name: "is content with a script's own -c",
    files: file('command: sh, args: [build.sh, -c, "{{ workflow.input.b }}"]'),
    lines: [],
  },
  {
    name: "is content with a shell that reads a file",
    files: file('command: sh, args: [build.sh, "{{ workflow.input.b }}"]'),
    lines: [],
  },
]);
