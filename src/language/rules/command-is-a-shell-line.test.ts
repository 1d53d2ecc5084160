import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (command: string): string => flow(`  - { name: a, type: script, command: ${JSON.stringify(command)} }`);
const speaks = (name: string, command: string, suggests: string) => ({
  name,
  files: file(command),
  lines: [3],
  suggests,
});
const silent = (name: string, command: string) => ({ name, files: file(command), lines: [] });

ruleCases("command-is-a-shell-line", [
  speaks("finds a pipe", "echo 3 | wc -c", 'command: sh, args: [-c, "echo 3 | wc -c"]'),
  speaks("finds a redirection", "date > now.txt", 'command: sh, args: [-c, "date > now.txt"]'),
  speaks("finds two commands", "make && make install", 'command: sh, args: [-c, "make && make install"]'),
  speaks("finds two lines", "make\nmake install", 'command: sh, args: [-c, "make\\nmake install"]'),
  speaks("finds arguments", "npm run build", "command: npm, args: [run, build]"),
  speaks("keeps quotes for a shell", "git commit -m 'a b'", `command: sh, args: [-c, "git commit -m 'a b'"]`),
  silent("is content with a program", "git"),
  silent("is content with a path that has a space", "/opt/my tools/build"),
  silent("takes a filter for no pipe", "{{ workflow.input.tool | default('git') }}"),
  {
    name: "finds the inline step of a for_each",
    files: `workflow: { name: case, entry_point: g, input: { xs: { type: array } } }
agents: []
for_each:
  - { name: g, type: for_each, source: workflow.input.xs, as: x, agent: { name: a, type: script, command: "a | b" } }
`,
    lines: [4],
  },
]);
