// Journals that somebody edited, and a machine that has no home for them: each time a sentence, never a defect of Segno's.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openFile } from "../../storage/sqlite/open.ts";
import { resumeRun } from "../runs/resume.ts";
import { runWorkflow } from "../runs/run.ts";
import { listRuns, runEvents, showRun } from "../runs/runs.ts";
import { homeOf } from "./home.ts";

const FILE = `
workflow: { name: a, entry_point: a }
agents:
  - { name: a, type: set, value: "${"x".repeat(70_000)}", routes: [{ to: b }] }
  - { name: b, type: script, command: "false", routes: [{ to: $end, when: "false" }] }
`;

const LAST = "WHERE first_seq = (SELECT max(first_seq) FROM batches)";
/** It ends; one that counts without end would hold up whoever reads it. */
const VIEW = "ALTER TABLE file.batches RENAME TO b2; CREATE VIEW file.batches AS SELECT * FROM b2";
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["a row that is no JSON", "UPDATE batches SET data = 'garbage{'"],
  ["a row of another shape", `UPDATE batches SET data = '{"a": 1}' ${LAST}`],
  ["a row that is null", `UPDATE batches SET data = 'null' ${LAST}`],
  ["an event without data", `UPDATE batches SET data = '[["agent_completed", null, "t"]]' WHERE first_seq = 1`],
  [
    "an event that lacks what it must have",
    `UPDATE batches SET data = '[["agent_failed", {"error": 5}, "t"]]' ${LAST}`,
  ],
  ["a time that is a number", `UPDATE batches SET data = '[["warning", {"node": null, "message": "m"}, 5]]' ${LAST}`],
  ["a path that is none", `UPDATE batches SET data = '[["warning", {"node": null, "message": "m"}, "t", 5]]' ${LAST}`],
  ["JSON without end", `UPDATE batches SET data = '[["warning", {"$blob": ${deep(10_000)}}, "t"]]' ${LAST}`],
  ["a blob that is gone", `UPDATE batches SET data = '[["warning", {"message": {"$blob": "sha256:0"}}, "t"]]' ${LAST}`],
  ["a run that says nothing of itself", "UPDATE meta SET value = 'null'"],
  ["a table that is missing", "DROP TABLE batches"],
  ["a view in the place of a table", VIEW],
  ["a virtual table", "CREATE VIRTUAL TABLE file.v USING fts5(a)"],
  ["a trigger", "CREATE TRIGGER file.t AFTER UPDATE ON lease BEGIN DELETE FROM batches; END"],
  ["another version", "PRAGMA file.user_version = 99"],
])("%s is named as damage by whoever reads or resumes the run", async (_, edit) => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-damage-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "a.yaml"), FILE);
  const here = { cwd, env: { PATH: process.env.PATH }, home: join(cwd, "home") };
  const { run_id } = await runWorkflow(here, { file: "a.yaml", inputs: {}, durability: "power" });
  const run = run_id as string;
  const connection = openFile(join(cwd, "home", "runs", run, "journal.db"), { busyMs: 1000 });
  connection.exec(edit);
  connection.close();

  const events = async (): Promise<never> => {
    for await (const _event of runEvents(here, { run }));
    throw new Error("all events could be read");
  };
  await expect(events()).rejects.toMatchObject({ name: "StoreError" });
  for (const result of [await resumeRun(here, { target: run, inputs: {} }), await showRun(here, { run })]) {
    // What a fold does not need may be missing in it.
    if (result.exit_code === null || result.errors[0]?.kind) continue;
    expect([1, 2]).toContain(result.exit_code);
    expect(result.errors[0]?.owner).not.toBe("engine");
    expect(result.error).not.toMatch(/undefined|null \(|not a function|call stack|Unexpected token/);
  }
});

/** What an edited journal could have somebody read. The run's own folder stands for `here`. */
const NAMED: readonly (readonly [string, string, (here: string) => void])[] = [
  ["a device without end", "sha256:../../../../../../../../../../../dev/zero", () => {}],
  [
    "a file of the user",
    "sha256:../../../../secret",
    (here) => writeFileSync(join(here, "../../../secret"), '"s3cret"'),
  ],
  ["a pipe", `sha256:${"a".repeat(64)}`, (here) => void execFileSync("mkfifo", [join(here, "blobs", "a".repeat(64))])],
  [
    "a link to a device",
    `sha256:${"b".repeat(64)}`,
    (here) => symlinkSync("/dev/zero", join(here, "blobs/", "b".repeat(64))),
  ],
  [
    "a file of 100 GB with nothing in it",
    `sha256:${"c".repeat(64)}`,
    (here) => {
      writeFileSync(join(here, "blobs", "c".repeat(64)), "");
      truncateSync(join(here, "blobs", "c".repeat(64)), 100e9);
    },
  ],
];

test.each(NAMED)("a big value that is %s is not read, and said to be damage", async (_, name, make) => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-damage-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "a.yaml"), FILE);
  const here = { cwd, env: { PATH: process.env.PATH }, home: join(cwd, "home") };
  const run = (await runWorkflow(here, { file: "a.yaml", inputs: {} })).run_id as string;
  const folder = join(cwd, "home", "runs", run);
  make(folder);
  const connection = openFile(join(folder, "journal.db"), { busyMs: 1000 });
  connection.exec(`UPDATE batches SET data = '[["warning", {"message": {"$blob": "${name}"}}, "t"]]' ${LAST}`);
  connection.close();
  const shown = await showRun(here, { run });
  expect(shown).toMatchObject({ success: false, error: expect.stringMatching(/damaged/) });
  expect(JSON.stringify(shown)).not.toContain("s3cret");
});

test.each([0o777, 0o1777])(
  "a home that others may write (%o) is refused, whatever they have put there",
  async (mode) => {
    const cwd = mkdtempSync(join(tmpdir(), "segno-shared-"));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    writeFileSync(join(cwd, "a.yaml"), FILE);
    const home = join(cwd, "home");
    mkdirSync(home);
    chmodSync(home, mode);
    const here = { cwd, env: { PATH: process.env.PATH, SEGNO_HOME: home } };
    for (const answer of [await runWorkflow(here, { file: "a.yaml", inputs: {} }), await listRuns(here, {})])
      expect(answer).toMatchObject({
        exit_code: 2,
        error: expect.stringMatching(/can be written by others.*chmod go-w/),
      });
    expect(readdirSync(home)).toEqual([]);
    chmodSync(home, 0o755);
    expect(await listRuns(here, {})).toMatchObject({ exit_code: 0 });
  },
);

test("an empty HOME is none: the system's own record of it counts", () => {
  const home = homeOf({ cwd: "/somewhere", env: { HOME: "" } });
  expect(home).toMatch(/^\/.*\.segno$/);
  expect(home).not.toMatch(/^\/somewhere/);
  expect(homeOf({ cwd: "/somewhere", env: { HOME: "here" } })).toBe("/somewhere/here/.segno");
});
