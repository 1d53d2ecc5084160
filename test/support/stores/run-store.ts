// What every store of runs does, wherever it keeps them.
import { describe, expect, test } from "vitest";
import type { RunEnd, RunFigures } from "../../../src/base/events/state/run-figures.ts";
import { type FiguresFilter, newRunId, type RunFilter } from "../../../src/storage/run-index.ts";
import type { NewRun } from "../../../src/storage/store.ts";
import { StoreError } from "../../../src/storage/store-error.ts";
import { output, refused, type StoreMaker, someRun } from "./store-maker.ts";

export function runStoreConformance(name: string, make: StoreMaker): void {
  describe(`${name}, a store of runs`, () => {
    test("a run is found by the beginning of its id, if that says which", async () => {
      const store = await make.fresh();
      const one = newRunId(1_700_000_000_000, new Uint8Array(10).fill(1));
      const two = newRunId(1_700_000_000_000, new Uint8Array(10).fill(200));
      for (const runId of [one, two]) await (await store.createRun(someRun(runId))).release();
      expect(await store.findRun(one)).toBe(one);
      expect(await store.findRun(one.slice(0, 14).toLowerCase())).toBe(one);
      expect(await store.findRun("7ZZ")).toBeUndefined();
      expect(await store.findRun("release.yaml")).toBeUndefined();
      expect(await store.findRun(two.slice(-6))).toBe(two);
      expect(await store.findRun(two.slice(-7).toLowerCase())).toBe(two);
      expect(await store.findRun(two.slice(4, 20))).toBeUndefined();
      const both = (async () => store.findRun(one.slice(0, 7)))();
      await expect(both).rejects.toMatchObject({ candidates: [one, two] });
      await refused(() => store.findRun(one.slice(-5))).toThrow(/at least 6 characters/);
    });

    test("an unknown run is said to be unknown", async () => {
      const store = await make.fresh();
      await refused(() => store.readRun(newRunId())).toThrow(/There is no run/);
      await refused(() => store.openRun(newRunId())).toMatchObject({ code: "missing" });
      await refused(() => store.openRun("../../etc")).toBeInstanceOf(StoreError);
      expect(await store.summary(newRunId())).toBeUndefined();
      expect(await store.newestRun()).toBeUndefined();
      expect(await store.runs()).toEqual([]);
    });

    test("lists say how runs ended, newest first", async () => {
      let now = 1_000_000;
      const store = await make.fresh({ now: () => now });
      const ids: string[] = [];
      for (const workflow of ["release", "release", "nightly"]) {
        now += 1000;
        const run = await store.createRun({ ...someRun(newRunId(now)), workflow });
        if (workflow === "release")
          await run.setStatus("failed", {
            failingKind: "http.status",
            exitCode: 3,
            resumable: true,
            costUsd: 0.5,
            durationMs: 12,
          });
        await run.release();
        ids.push(run.runId);
      }
      expect((await store.runs()).map((run) => run.runId)).toEqual([...ids].reverse());
      expect(await store.runs({ status: "failed", limit: 1 })).toEqual([
        expect.objectContaining({
          runId: ids[1],
          failingKind: "http.status",
          exitCode: 3,
          resumable: true,
          costUsd: 0.5,
          durationMs: 12,
          crashed: false,
        }),
      ]);
      expect(await store.summary(ids[0]!)).toMatchObject({ runId: ids[0], status: "failed", driver: null });
      expect((await store.runs({ status: ["paused", "running"] })).map((run) => run.workflow)).toEqual(["nightly"]);
      expect((await store.newestRun({ workflow: "release" }))?.runId).toBe(ids[1]);
      expect((await store.newestRun({ resumable: true }))?.runId).toBe(ids[1]);
      expect(await store.newestRun({ file: "/other.yaml" })).toBeUndefined();
      const again = await store.openRun(ids[1]!);
      await again.takeUp();
      await again.append([output(1, "again")]);
      expect(await store.summary(ids[1]!)).toMatchObject({
        status: "running",
        failingKind: null,
        exitCode: null,
        durationMs: null,
        costUsd: 0.5,
      });
      await again.release();
    });

    test("runs have names, and are found by what they were given", async () => {
      let now = 1_000_000;
      const store = await make.fresh({ now: () => now });
      const made = async (facts: Partial<NewRun>): Promise<string> => {
        now += 1000;
        const run = await store.createRun({ ...someRun(newRunId(now)), ...facts });
        await run.release();
        return run.runId;
      };
      const acme = await made({ name: "nightly “1”", inputs: { customer: "acme", count: 1.5, dry: true } });
      const other = await made({ inputs: { customer: "other", count: 15 } });
      const row = await made({ name: "row", evalId: newRunId(), isRehearsal: true, inputs: { customer: "acme" } });
      const listed = async (filter: RunFilter) => (await store.runs(filter)).map(({ runId }) => runId);
      expect((await store.summary(acme))?.name).toBe("nightly “1”");
      expect(await store.runs()).toEqual([
        expect.objectContaining({ runId: other, name: null, evalId: null }),
        expect.objectContaining({ runId: acme, name: "nightly “1”" }),
      ]);
      expect(await listed({ withEvals: true })).toEqual([row, other, acme]);
      expect(await listed({ inputs: { customer: "acme" } })).toEqual([acme]);
      expect(await listed({ inputs: { customer: "acme", count: "1.50", dry: "true" } })).toEqual([acme]);
      expect(await listed({ inputs: { customer: "acme", count: "15" } })).toEqual([]);
      expect((await store.newestRun())?.runId).toBe(other);
      expect((await store.summary(row))?.name).toBe("row");
    });

    test("figures are those of ended runs, without rehearsals", async () => {
      let now = 1_000_000;
      const store = await make.fresh({ now: () => now });
      const ended = async (end: RunEnd, more: Partial<NewRun> = {}, hasFigures = true): Promise<string> => {
        now += 1000;
        const run = await store.createRun({ ...someRun(newRunId(now)), ...more });
        const figures: RunFigures = { end, ms: 5, usd: 0.25, steps: [["build", 4, null, ["a.bad"]]] };
        await run.setStatus(end, {
          exitCode: 3,
          durationMs: 7,
          failingKind: "a.bad",
          ...(hasFigures ? { facts: { ...more, figures } } : {}),
        });
        await run.release();
        return run.runId;
      };
      await ended("failed", {}, false);
      const first = await ended("completed", { inputs: { customer: "acme" } });
      const second = await ended("failed");
      await ended("completed", { isRehearsal: true });
      await ended("completed", { isRehearsal: true, evalId: newRunId() });
      await (await store.createRun({ ...someRun(newRunId(now + 1000)) })).release();
      const figuresOf = async (filter: FiguresFilter) => {
        const parts = store.eachCell
          ? (await store.eachCell((cell) => cell.figures!(filter))).map(({ answer }) => answer)
          : [await store.figures!(filter)];
        const all = parts.flatMap(({ workflows }) => workflows.flatMap(({ figures }) => JSON.parse(figures)));
        return { all, runs: parts.reduce((sum, { runs }) => sum + runs, 0), next: parts.map(({ next }) => next) };
      };
      const kept = { end: "failed", ms: 5, usd: 0.25, steps: [["build", 4, null, ["a.bad"]]] };
      const { all, runs } = await figuresOf({});
      expect(runs).toBe(3);
      expect(all).toHaveLength(3);
      expect(all).toEqual(
        expect.arrayContaining([["failed", 3, 7, null, "a.bad"], kept, { ...kept, end: "completed" }]),
      );
      expect((await figuresOf({ status: "failed" })).runs).toBe(2);
      expect((await figuresOf({ inputs: { customer: "acme" } })).all).toEqual([{ ...kept, end: "completed" }]);
      expect((await figuresOf({ since: 1_003_000 })).all).toEqual([kept]);
      expect((await figuresOf({ until: 1_003_000 })).runs).toBe(2);
      expect((await figuresOf({ ofEvals: true })).runs).toBe(1);
      expect(await figuresOf({ limit: 1 })).toMatchObject({
        all: expect.arrayContaining([kept]),
        next: expect.arrayContaining([second]),
      });
      expect((await figuresOf({ before: second, limit: 1 })).next).toContain(first);
      await store.removeRuns([second]);
      expect((await figuresOf({ status: "failed" })).runs).toBe(1);
    });

    test("runs are removed with all that belongs to them, and those that somebody drives are not", async () => {
      let now = 1_000_000;
      const store = await make.fresh({ now: () => now });
      const runs = [];
      for (let count = 0; count < 4; count++) {
        now += 1000;
        runs.push(await store.createRun(someRun(newRunId(now))));
      }
      const [driven, ...rest] = runs;
      for (const run of rest) {
        await run.setStatus("completed");
        await run.release();
      }
      const [one, two, three] = rest.map((run) => run.runId);
      expect(await store.removeRuns([one!, driven!.runId, two!])).toEqual([one, two]);
      expect((await store.runs()).map((run) => run.runId)).toEqual([three, driven!.runId]);
      await refused(() => store.readRun(one!)).toThrow(/There is no run/);
      await driven!.append([output(1, "still here")]);
    });

    test("whoever asks again hears which runs changed since, and which are gone", async () => {
      const store = await make.fresh();
      const made = async () => {
        const run = await store.createRun(someRun(newRunId()));
        await run.release();
        return run.runId;
      };
      const before = await made();
      const { runs } = store.state;
      const start = await runs.changes();
      expect(start).toMatchObject({ changed: [], removed: [], isLost: false });
      const [one, two] = [await made(), await made()];
      const first = await runs.changes(start.cursor);
      expect(first.changed).toEqual(expect.arrayContaining([one, two]));
      expect(first.removed).toEqual([]);
      await runs.put({ ...(await runs.get(before))!, status: "failed", driver: null });
      await runs.put({ ...(await runs.get(one))!, status: "completed", driver: null });
      await runs.remove(one);
      const second = await runs.changes(first.cursor);
      expect(second).toMatchObject({ removed: [one], isLost: false });
      expect(second.changed).toContain(before);
      expect(second.changed).not.toContain(one);
      expect((await store.summaries([before, one, two])).map(({ runId }) => runId).sort()).toEqual(
        [before, two].sort(),
      );
      expect((await store.runs({ before: two, limit: 5 })).map(({ runId }) => runId)).toEqual([before]);
    });

    test("environment values are digested under one key, whoever opens the store", async () => {
      const store = await make.fresh();
      await (await store.createRun(someRun())).release();
      const { hashKey } = store;
      expect(hashKey.length).toBeGreaterThanOrEqual(32);
      expect((await make.again(store)).hashKey).toBe(hashKey);
      expect((await make.fresh()).hashKey).not.toBe(hashKey);
    });
  });
}
