import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const script = (files: string, more = ""): string =>
  flow(`
  - name: a
    type: script
    command: ls
    files: [${files}]
    routes: [{ to: b }]
  - { name: b, type: script, command: ls${more} }`);

ruleCases("files-pattern", [
  {
    name: "finds a template",
    files: script('"{{ workflow.input.dir }}/*.py"'),
    lines: [6],
    message: /`files` takes patterns, not templates/,
  },
  { name: "finds a template where files are produced", files: script("", ', produces: ["{{ x }}.json"]'), lines: [8] },
  {
    name: "finds a pattern that matches nothing",
    files: { "main.yaml": script("src/*.py"), "src/a.js": "" },
    lines: [6],
  },
  {
    name: "is content with one that does",
    files: { "main.yaml": script("src/*.py, main.yaml"), "src/a.py": "" },
    lines: [],
  },
  { name: "and with files that a step produces", files: script("out/*.json", ', produces: ["out/**"]'), lines: [] },
]);
