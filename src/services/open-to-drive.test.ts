// Taking a run from a process that cannot be seen: it is watched, and who waits is told.
import { expect, test } from "vitest";
import { journalPath } from "../hosts/embedded/journal.ts";
import { freshStore, openTestStore, someRun } from "../hosts/embedded/testing/homes.ts";
import { openFile } from "../hosts/sqlite/open.ts";
import { LeaseHeld } from "../hosts/store-error.ts";
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

test("--take-over waits for nothing", async () => {
  const store = freshStore({ host: "one" });
  const { runId } = store.createRun(someRun());
  const here = openTestStore(store.home, { host: "two", elapsed: () => 0 });
  expect((await openToDrive(here, runId, { takeOver: true })).takenOver).toMatchObject({ host: "one" });
});
