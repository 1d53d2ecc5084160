import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunStatus } from "../../base/events/state/state.ts";
import { openStore } from "../../storage/embedded/store.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { RunStore, RunsByFile } from "../../storage/store.ts";
import { listLetters } from "../dead-letters/letters.ts";
import type { Session } from "../session/session.ts";
import { type PruneRequest, pruneByRetention, pruneRuns } from "./prune.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-prune-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const DAY = 86_400_000;
const session = () => ({ cwd, env: {}, home: join(cwd, "home") });

interface Old {
  readonly days: number;
  readonly workflow?: string;
  readonly file?: string;
  readonly status?: RunStatus;
  readonly letter?: true;
}

/** A run that ended so many days ago; gives its id. */
function run({ days, workflow = "w", file = join(cwd, "w.yaml"), status = "completed", letter }: Old): string {
  const then = Date.now() - days * DAY;
  const store = openStore(session().home, { now: () => then });
  const driven = store.createRun({ runId: newRunId(then), workflow, file, durability: "process" });
  driven.setStatus(status, { resumable: status === "failed" || status === "cancelled" || status === "paused" });
  driven.release();
  const { runId } = driven;
  const body = { envelope: { kind: "a.b", message: "m", attempts: 1 }, attempts: [], path: [], file };
  if (letter)
    store.state.letters.put({ id: newRunId(then), runId, workflow, node: "n", kind: "a.b", place: "n#1", body });
  store.close();
  return runId;
}

const removed = async (more: Partial<PruneRequest & Session>): Promise<readonly string[]> =>
  [...(await pruneRuns({ ...session(), ...more }, { dryRun: true, ...more })).removed].sort();
const there = (): readonly string[] => {
  const store = openStore(session().home);
  const ids = store.runs().map(({ runId }) => runId);
  store.close();
  return ids.sort();
};

it("keeps the newest of each workflow", async () => {
  const [a3, a2] = [run({ days: 3 }), run({ days: 2 }), run({ days: 1 })];
  const b2 = run({ days: 2, workflow: "b", file: join(cwd, "b.yaml") });
  run({ days: 1, workflow: "b", file: join(cwd, "b.yaml") });
  expect(await removed({ keep: 1 })).toEqual([a3, a2, b2].sort());
  expect(await removed({})).toEqual([]);
  expect(await removed({ keep: 0, workflow: "b" })).toHaveLength(2);
});

it("removes what is older, of one status, or both; with `keep` as well, what is neither new nor among the newest", async () => {
  const [old, older] = [run({ days: 40 }), run({ days: 50, status: "terminated" })];
  run({ days: 1 });
  expect(await removed({ olderThan: "30d" })).toEqual([old, older].sort());
  expect(await removed({ olderThan: "30d", status: "terminated" })).toEqual([older]);
  expect(await removed({ olderThan: "30d", keep: 2 })).toEqual([older]);
  expect(await pruneRuns(session(), { dryRun: true, olderThan: "long" })).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining('"long" is no age; write 30d'),
  });
});

it("keeps what can be resumed, waits for an answer or has open letters, unless that is asked for", async () => {
  const done = run({ days: 9 });
  const failed = run({ days: 8, status: "failed" });
  const paused = run({ days: 7, status: "paused" });
  const lettered = run({ days: 6, status: "degraded", letter: true });
  const crashed = run({ days: 5, status: "running" });
  expect(await removed({ keep: 0 })).toEqual([done]);
  const all = [done, failed, paused, lettered, crashed].sort();
  expect(await removed({ keep: 0, resumable: true })).toEqual(all);
  expect(await removed({ keep: 0, resumable: true, status: "crashed" })).toEqual([crashed]);
  const answer = await pruneRuns(session(), { keep: 0, resumable: true, yes: true });
  expect([...answer.removed].sort()).toEqual(all);
  expect(answer).toMatchObject({ exit_code: 0, kept: 0, dry_run: false });
  // The letter's run is gone: it can only be looked at.
  expect((await listLetters(session(), { all: true })).letters).toMatchObject([{ status: "dropped" }]);
});

it("never removes what somebody drives", async () => {
  const store = openStore(session().home);
  const driven = store.createRun({
    runId: newRunId(),
    workflow: "w",
    file: join(cwd, "w.yaml"),
    durability: "process",
  });
  expect(await pruneRuns(session(), { keep: 0, resumable: true, yes: true })).toMatchObject({ removed: [], kept: 1 });
  driven.release();
  store.close();
});

it("names a run that had ended when it was chosen, and that its driver still has open", async () => {
  const old = run({ days: 3 });
  const [closing, resumed] = [run({ days: 2 }), run({ days: 1 })];
  const store = openStore(session().home);
  const open = [store.openRun(closing)];
  const prune = () => pruneRuns(session(), { keep: 0, yes: true });
  expect(await prune()).toMatchObject({
    exit_code: 0,
    removed: [resumed, old],
    kept: 1,
    warnings: [{ message: `The run ${closing} was kept: a process still has it open. Prune again when it has ended.` }],
  });
  for (const one of open) one.release();
  store.close();
  expect(await prune()).toMatchObject({ removed: [closing], warnings: [] });
});

it("looks at this project's runs, from any folder of it, unless all are meant", async () => {
  const here = run({ days: 3, file: join(cwd, "project/flows/w.yaml") });
  const elsewhere = run({ days: 2, file: join(cwd, "other/w.yaml") });
  mkdirSync(join(cwd, "project/flows"), { recursive: true });
  writeFileSync(join(cwd, "project/segno.yaml"), "name: p\n");
  const request = { cwd: join(cwd, "project/flows"), keep: 0 };
  expect(await removed(request)).toEqual([here]);
  expect(await removed({ ...request, all: true })).toEqual([here, elsewhere].sort());
});

it("asks first; where nobody can be asked it needs a yes", async () => {
  const old = run({ days: 3 });
  expect(await pruneRuns(session(), { keep: 0 })).toMatchObject({
    exit_code: 2,
    removed: [],
    errors: [{ hint: expect.stringContaining("--yes") }],
  });
  const shown: unknown[] = [];
  const confirm = (answer: boolean) => async (runs: readonly unknown[]) => {
    shown.push(...runs);
    return answer;
  };
  expect(await pruneRuns(session(), { keep: 0, confirm: confirm(false) })).toMatchObject({
    exit_code: 0,
    removed: [],
    kept: 1,
  });
  expect(shown).toMatchObject([{ run_id: old, workflow: "w", status: "completed" }]);
  expect(there()).toEqual([old]);
  expect((await pruneRuns(session(), { keep: 0, confirm: confirm(true) })).removed).toEqual([old]);
  expect(there()).toEqual([]);
});

it("removes by a project's retention, with another age for what could be resumed", async () => {
  const [done, failed] = [run({ days: 40 }), run({ days: 100, status: "failed" })];
  const [recent, waiting] = [run({ days: 20 }), run({ days: 80, status: "failed" })];
  const elsewhere = run({ days: 400, file: "/elsewhere/w.yaml" });
  const store = openStore(session().home);
  const retention = { older_than: 30 * 86_400, resumable: 90 * 86_400 };
  const gone = await pruneByRetention(store, cwd, retention, () => {});
  expect([...gone].sort()).toEqual([done, failed].sort());
  expect(await pruneByRetention(store, cwd, { keep: 5 }, () => {})).toEqual([]);
  expect(await pruneByRetention(store, cwd, {}, () => {})).toEqual([]);
  store.close();
  expect(there()).toEqual([recent, waiting, elsewhere].sort());
});

it("keeps the newest of each workflow by a project's retention, also of a store that is asked file by file", async () => {
  const files = [join(cwd, "w.yaml"), join(cwd, "other.yaml"), "/elsewhere/w.yaml"];
  const renamed = { workflow: "before it was renamed" };
  const old = [run({ days: 50 }), run({ days: 40 }), run({ days: 35 }), run({ days: 60, ...renamed })].sort();
  for (const kept of [{ days: 33 }, { days: 45, ...renamed }, { days: 90, file: files[1]! }]) run(kept);
  for (const days of [90, 100]) run({ days, file: files[2]! });
  const store = openStore(session().home);
  const asked: unknown[] = [];
  const removedBy = async (more: Partial<RunStore>): Promise<readonly string[]> => {
    const looking: RunStore = {
      state: store.state,
      runs: (filter) => store.runs(filter),
      removeRuns: (ids) => ids,
      ...more,
    } as RunStore;
    return [...(await pruneByRetention(looking, cwd, { keep: 1, older_than: 34 * 86_400 }, () => {}))].sort();
  };
  expect(await removedBy({})).toEqual(old);
  const runs: RunStore["runs"] = (filter) => {
    asked.push(filter?.file);
    return store.runs(filter);
  };
  const byFile: RunsByFile = {
    files: () => files,
    nthNewest: (n, file, workflow) =>
      store.runs({ file, ...(workflow === undefined ? {} : { workflow }) })[n - 1]?.runId,
  };
  expect(await removedBy({ byFile, runs })).toEqual(old);
  expect(new Set(asked)).toEqual(new Set(files.slice(0, 2)));
  store.close();
});
