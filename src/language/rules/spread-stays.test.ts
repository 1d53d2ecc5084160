import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const each = (item: string, runtime = ""): string =>
  flow("  - { name: after, type: set, value: 1 }", {
    entry: "all",
    section: `input: { xs: { type: array } }${runtime && `, runtime: { ${runtime} }`}`,
    more: `for_each:\n  - { name: all, type: for_each, source: workflow.input.xs, as: x, spread: true, agent: { name: a, ${item} }, routes: [{ to: after }] }`,
  });

const script = 'type: script, command: "true"';

ruleCases("spread-stays", [
  { name: "finds scripts that may share files", files: each(script), lines: [5], message: /affinity: any/ },
  { name: "is silent where the file says that they do not", files: each(script, "affinity: any"), lines: [] },
  { name: "is silent about a file without scripts", files: each("type: set, value: 1"), lines: [] },
  {
    name: "finds a file that is told to stay",
    files: each("type: set, value: 1", "affinity: worker"),
    lines: [5],
    message: /`runtime.affinity` is `worker`/,
  },
]);
