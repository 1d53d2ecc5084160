// Taking a run from a process that cannot be seen: it is watched, and who waits is told.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshStore, openTestStore, someRun } from "../../../test/support/stores/homes.ts";
import { journalPath } from "../../storage/embedded/journal.ts";
import { openFile } from "../../storage/sqlite/open.ts";
import { LeaseHeld } from "../../storage/store-error.ts";
import type { Refused } from "../refusals.ts";
import { resumeRun } from "../runs/resume.ts";
import { runWorkflow } from "../runs/run.ts";
import { openToDrive } from "./open-to-drive.ts";

/** Time in which a minute of watching takes a moment. */
const hurried = (): number => performance.now() * 1000;

test("a driver elsewhere that gives no sign of life is watched for a while, which is said, and then followed by us", async () => {
  const store = freshStore({ host: "one" });
  const { runId } = store.createRun(someRun());
  const said: string[] = [];
  const here = openTestStore(store.home, { host: "two", elapsed: hurried });
  const run = await openToDrive(here, runId, { watching: (text) => said.push(text) });
  expect(run.takenOver).toMatchObject({ host: "one" });
  expect(said).toEqual([expect.stringMatching(/process \d+ on one, since .*up to 45 s.*--take-over does not wait/)]);
});

test("a driver elsewhere whose heart beats keeps its run, and who watched is told at once", async () => {
  let beats = 1_000_000;
  const store = freshStore({ host: "one", now: () => beats });
  const { runId, folder } = store.createRun(someRun());
  const here = openTestStore(store.home, { host: "two", elapsed: () => 0 });
  const opening = openToDrive(here, runId, {
    watching: () => {
      beats += 1;
      const connection = openFile(journalPath(folder), { busyMs: 1000 });
      connection.exec(`UPDATE lease SET heard = ${beats}`);
      connection.close();
    },
  });
  await expect(opening).rejects.toThrow(LeaseHeld);
});

test("whoever stops the watching is told that it is not known yet whether the driver lives", async () => {
  const store = freshStore({ host: "one" });
  const { runId } = store.createRun(someRun());
  const here = openTestStore(store.home, { host: "two", elapsed: () => 0 });
  const stop = new AbortController();
  const opening = openToDrive(here, runId, { watching: () => stop.abort(), signal: stop.signal });
  const { result } = (await opening.catch((problem: unknown) => problem)) as Refused;
  expect(result.errors[0]).toMatchObject({
    error_type: "DriverUnknown",
    message: expect.stringContaining("not known yet"),
    hint: expect.stringContaining("--take-over"),
  });
});

test("a run that its driver elsewhere brought to its end while it was watched gives its result again", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-watched-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(
    join(cwd, "a.yaml"),
    "workflow: { name: a, entry_point: a }\nagents: [{ name: a, type: set, value: x }]\n",
  );
  const here = { cwd, env: { PATH: process.env.PATH }, home: join(cwd, "home") };
  const { run_id } = await runWorkflow(here, { file: "a.yaml", inputs: {}, durability: "power" });
  const target = run_id ?? "";
  const edit = (text: string): void => {
    const connection = openFile(journalPath(join(cwd, "home", "runs", target)), { busyMs: 1000 });
    connection.exec(text);
    connection.close();
  };
  // As it was before its last row, in the hands of a process that cannot be seen.
  edit("CREATE TABLE file.kept AS SELECT * FROM batches; DELETE FROM batches WHERE first_seq > 1");
  edit("INSERT INTO lease VALUES (1, 'elsewhere', 1, 's', 1000, 1000, 't')");
  let said = "";
  const result = await resumeRun(
    here,
    { target, inputs: {} },
    {
      watching: () => edit("INSERT OR REPLACE INTO batches SELECT * FROM kept; DELETE FROM lease"),
      isDone: (sentence) => {
        said = sentence;
      },
    },
  );
  expect(result).toMatchObject({ status: "completed", exit_code: 0 });
  expect(said).toContain("its result again");
});

test("--take-over waits for nothing", async () => {
  const store = freshStore({ host: "one" });
  const { runId } = store.createRun(someRun());
  const here = openTestStore(store.home, { host: "two", elapsed: () => 0 });
  expect((await openToDrive(here, runId, { takeOver: true })).takenOver).toMatchObject({ host: "one" });
});
