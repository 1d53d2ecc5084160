// However many follow the list of runs, the store is asked once for all of them, and only for what has changed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../storage/embedded/store.ts";
import { newRunId } from "../../storage/run-index.ts";
import { ListFeed } from "./list-feed.ts";
import { ShownRuns } from "./views/run-list.ts";
import { WatchedRuns } from "./views/watched-runs.ts";

async function scene() {
  const root = mkdtempSync(join(tmpdir(), "segno-feed-"));
  const home = join(root, "home");
  const store = openStore(home);
  const session = { cwd: root, env: { HOME: home }, home };
  const watched = await WatchedRuns.open(session, root);
  const list = new ShownRuns(watched, session);
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await watched.close();
    store.close();
    rmSync(root, { recursive: true, force: true });
  });
  const made = (status: "completed" | "failed" = "completed"): string => {
    const run = store.createRun({
      runId: newRunId(),
      workflow: "w",
      file: join(root, "w.yaml"),
      durability: "process",
    });
    run.setStatus(status, {});
    run.release();
    return run.runId;
  };
  return { store, watched, list, made, feed: new ListFeed(list, stop.signal) };
}

const ids = (rows: readonly { readonly run_id: string }[]): readonly string[] => rows.map(({ run_id }) => run_id);

describe("those who follow the list", () => {
  it("each get what is new to them, once", async () => {
    const { store, made, feed } = await scene();
    const one = made();
    const [early, late] = [feed.enter(), feed.enter()];
    expect(ids((await early.next()).rows)).toEqual([one]);
    const two = made();
    await early.changed(new AbortController().signal);
    expect(await early.next()).toMatchObject({ rows: [{ run_id: two }], removed: [] });
    expect(await early.next()).toEqual({ rows: [], removed: [] });
    expect(ids((await late.next()).rows)).toEqual([two, one]);
    await store.removeRuns([one]);
    await Promise.all([early, late].map((reader) => reader.changed(new AbortController().signal)));
    for (const reader of [early, late]) expect(await reader.next()).toEqual({ rows: [], removed: [one] });
    early.leave();
    late.leave();
  });

  it("share one look, which reads no run that has not changed", async () => {
    const { watched, list, made, feed } = await scene();
    for (let at = 0; at < 20; at++) made();
    const readers = Array.from({ length: 200 }, () => feed.enter());
    await Promise.all(readers.map((reader) => reader.next()));
    const [whole, some, rows] = [
      vi.spyOn(watched.store, "runs"),
      vi.spyOn(watched.store, "summaries"),
      vi.spyOn(list, "rows"),
    ];
    const changes = vi.spyOn(watched.store.state.runs, "changes");
    // Looks in which nothing happens.
    await vi.waitFor(() => expect(changes.mock.calls.length).toBeGreaterThanOrEqual(3));
    expect(rows).not.toHaveBeenCalled();
    const run = made("failed");
    const never = new AbortController().signal;
    await Promise.all(readers.map((reader) => reader.changed(never)));
    for (const reader of readers) expect(ids((await reader.next()).rows)).toEqual([run]);
    expect(rows).toHaveBeenCalledTimes(1);
    expect(whole).not.toHaveBeenCalled();
    expect(some.mock.calls.flatMap(([runIds]) => runIds)).toEqual([run]);
    for (const reader of readers) reader.leave();
  });
});
