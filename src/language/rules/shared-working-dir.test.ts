import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const both = (one: string, two: string, group = ""): string =>
  flow(`  - { name: a, prompt: p${one} }\n  - { name: b, prompt: p${two} }`, {
    entry: "both",
    section: "runtime: { provider: codex }",
    more: `parallel:\n  - { name: both, agents: [a, b]${group} }`,
  });

const each = (fields: string, group = ""): string =>
  flow("  - { name: after, type: set, value: 1 }", {
    entry: "all",
    section: "runtime: { provider: codex }, input: { xs: { type: array } }",
    more: `for_each:\n  - { name: all, type: for_each, source: workflow.input.xs, as: x${group}, agent: { name: a, prompt: "{{ x }}"${fields} }, routes: [{ to: after }] }`,
  });

ruleCases("shared-working-dir", [
  { name: "finds two agents of a group in one folder", files: both("", ""), lines: [6], message: /`a` and `b`/ },
  { name: "is silent where each has its own", files: both(", working_dir: x", ", working_dir: y"), lines: [] },
  { name: "is silent about one that only reads", files: both("", ", sandbox: read-only"), lines: [] },
  { name: "is silent where they run one after the other", files: both("", "", ", max_concurrent: 1"), lines: [] },
  { name: "finds items in one folder", files: each(""), lines: [5], message: /up to 10 items/ },
  { name: "is silent where the folder is the item's", files: each(', working_dir: "{{ x }}"'), lines: [] },
]);
