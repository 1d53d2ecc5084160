import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openSession } from "../session/session.ts";
import { KNOWN_ROWS } from "./conductor-differences.ts";
import { validateFolders } from "./validate-folder.ts";

const HEAD = "workflow: { name: w, entry_point: a }\n";
const FILES = {
  "plain.yaml": `${HEAD}agents:\n  - { name: a, type: set, value: hi }\n`,
  "deep/steps.yml": `${HEAD}steps:\n  - { name: a, type: human_gate, prompt: ok, options: [{ value: y, route: $end }] }\n`,
  "gate.yaml": `workflow: { name: w, entry_point: a, hooks: { on_start: x } }\nagents:\n  - { name: a, type: human_gate, model: m, prompt: ok, options: [{ label: y, value: y, route: $end }] }\n`,
  "wrong.yaml": `${HEAD}agents:\n  - { name: a, type: set, value: hi, routes: [{ to: bb }] }\n  - { name: b, type: set, value: hi }\n`,
  "data.yaml": "a: 1\n",
  "family/child.yaml": `${HEAD}steps:\n  - { name: a, type: script, command: x, raises: [a.b], routes: [{ to: $end }, { on_error: true, propagate: true }] }\n`,
  "family/parent.yaml": `${HEAD}steps:\n  - { name: a, type: workflow, workflow: child.yaml, routes: [{ to: $end }, { on_error: true, to: b }] }\n  - { name: b, type: set, value: 1 }\n`,
};

it("a folder is checked file by file: what runs, what differs from Conductor and where, what is refused", () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-folder-"));
  try {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    const session = openSession({ cwd, env: {} });
    const answer = validateFolders(session, { files: ["."] });
    expect(answer).toMatchObject({ success: false, left_out: 1 });
    const verdicts = Object.fromEntries(answer.workflows.map((one) => [one.file, one]));
    expect(verdicts["plain.yaml"]).toMatchObject({ verdict: "runs", dialect: "agents", differences: [] });
    expect(verdicts["deep/steps.yml"]).toMatchObject({ verdict: "runs", dialect: "steps", differences: [] });
    expect(verdicts["gate.yaml"]).toMatchObject({
      verdict: "differs",
      differences: [
        { row: "`hooks`", line: 1, node: null },
        { row: "a gate without a terminal", line: 3, node: "a" },
        { row: "unknown keys", line: 3, node: "a" },
      ],
    });
    expect(verdicts["wrong.yaml"]).toMatchObject({ verdict: "refused", refusals: [{ line: 3, instead: "b" }] });
    // What another file calls may propagate.
    expect(verdicts["family/child.yaml"]).toMatchObject({ verdict: "runs", refusals: [] });
    const alone = ["family/child.yaml"];
    expect(validateFolders(session, { files: alone, strict: true })).toMatchObject({ success: false });
    expect(validateFolders(session, { files: ["family"], strict: true })).toMatchObject({ success: true });
    expect(validateFolders(session, { files: ["deep"] })).toMatchObject({ success: true, left_out: 0 });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

it("every row that is named stands in docs/conductor.md", () => {
  const page = readFileSync("docs/conductor.md", "utf8");
  expect(KNOWN_ROWS.filter((row) => !page.includes(`\n| ${row} |`))).toEqual([]);
});
