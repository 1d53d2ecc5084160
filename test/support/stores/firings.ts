// What every store keeps of triggers: one firing for each cause, claimed by one process, and only so many of a group at a
// time, whichever process asks.
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import type { Firings, NewFiring } from "../../../src/storage/firings.ts";
import type { RunStore } from "../../../src/storage/store.ts";
import type { StoreMaker } from "./store-maker.ts";

const TRIGGER = "/work/segno.yaml#nightly";

/** A process that is not there, as either host names one. */
const DEAD = JSON.stringify([hostname(), 999_999_999, "x"]);

const firing = (runId: string, over: Partial<NewFiring> = {}): NewFiring => ({
  runId,
  trigger: TRIGGER,
  at: 1000,
  marks: [],
  depth: 0,
  body: { inputs: { n: runId } },
  ...over,
});

export function firingsConformance(name: string, make: StoreMaker): void {
  describe(`${name}, what triggers fire`, () => {
    const firingsOf = ({ state }: RunStore): Firings => {
      if (!state.firings) throw new Error("this store keeps no firings");
      return state.firings;
    };
    const two = async () => {
      const store = await make.fresh();
      return [firingsOf(store), firingsOf(await make.again(store))] as const;
    };

    test("one firing is made for a moment, however many servers fire for it at once", async () => {
      const [one, other] = await two();
      const at = { marks: [{ name: "at:03:00" }] };
      const recorded = await Promise.all(
        ["R1", "R2", "R3", "R4"].map(async (runId, index) => (index % 2 ? one : other).record(firing(runId, at))),
      );
      expect(recorded.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(recorded.map(({ firing: { runId } }) => runId)).size).toBe(1);
      expect(await one.list()).toHaveLength(1);
      expect(await one.record(firing("R5", { ...at, trigger: "another" }))).toMatchObject({ isNew: true });
    });

    test("a mark that counts no more makes a delivery new again, and any one mark of several is enough", async () => {
      const [one] = await two();
      const marks = [{ name: "delivery:1", until: 2000 }, { name: "body:x", until: 2000 }, { name: "dedupe:7" }];
      await one.record(firing("R1", { marks }));
      const again = await one.record(firing("R2", { marks: [{ name: "body:x" }] }));
      expect(again).toMatchObject({ isNew: false, firing: { runId: "R1" } });
      expect(await one.record(firing("R3", { at: 2000, marks: [{ name: "body:x" }] }))).toMatchObject({ isNew: true });
      const later = await one.record(firing("R4", { at: 9000, marks: [{ name: "dedupe:7" }] }));
      expect(later).toMatchObject({ isNew: false });
    });

    test("a firing says what it was fired with, and how it ended", async () => {
      const [one, other] = await two();
      const group = { key: "acme/shop", limit: 2 };
      await one.record(firing("R1", { group, depth: 3, body: { inputs: { a: [1, "ü\u0000"] }, cause: null } }));
      expect(await other.get("R1")).toEqual({
        runId: "R1",
        trigger: TRIGGER,
        status: "fired",
        isPlaced: false,
        firedAt: "1970-01-01T00:00:01.000Z",
        endedAt: null,
        reason: null,
        depth: 3,
        group,
        body: { inputs: { a: [1, "ü\u0000"] }, cause: null },
      });
      await other.settle("R1", "ended", "completed");
      await other.settle("R1", "failed", "too late");
      expect(await one.get("R1")).toMatchObject({ status: "ended", reason: "completed", endedAt: expect.any(String) });
      expect(await one.get("R2")).toBeUndefined();
    });

    test("what is skipped, refused, or comes while one before it has not ended, is over at once", async () => {
      const [one] = await two();
      const statusOf = async (runId: string, over: Partial<NewFiring>) =>
        (await one.record(firing(runId, over))).firing;
      const [skipped, refused] = ["it is paused", "no such input"];
      expect(await statusOf("R1", { skipped })).toMatchObject({ status: "skipped", reason: skipped });
      expect(await statusOf("R2", { refused })).toMatchObject({ status: "failed", reason: refused });
      expect(await statusOf("R3", { skipIfBusy: "busy" })).toMatchObject({ status: "fired" });
      expect(await statusOf("R4", { skipIfBusy: "busy" })).toMatchObject({ status: "skipped", reason: "busy" });
      await one.settle("R3", "ended");
      expect(await statusOf("R5", { skipIfBusy: "busy" })).toMatchObject({ status: "fired" });
      expect(await one.claim("R1")).toBe(false);
    });

    test("one whose run waits for a person has not ended: it is busy, holds its place, is kept, and ends once", async () => {
      const [one, other] = await two();
      const group = { key: "acme/shop", limit: 1 };
      await one.record(firing("R1", { group }));
      await one.record(firing("R2", { group }));
      expect(await one.claim("R1")).toBe(true);
      await one.wait("R1");
      expect(await other.get("R1")).toMatchObject({ status: "waits", endedAt: null });
      expect(await other.claim("R1")).toBe(false);
      expect(await other.claim("R2")).toBe(false);
      expect((await one.record(firing("R3", { skipIfBusy: "busy" }))).firing).toMatchObject({ status: "skipped" });
      await one.expire(Date.now(), Date.now());
      expect(await one.get("R1")).toMatchObject({ status: "waits" });
      await one.goOn("R1");
      expect(await other.claim("R1")).toBe(true);
      await other.wait("R1");
      await one.settle("R1", "ended", "completed");
      await one.goOn("R1");
      expect(await one.get("R1")).toMatchObject({ status: "ended", reason: "completed" });
      expect(await other.claim("R2")).toBe(true);
    });

    test("firings are listed newest first, by trigger and by status", async () => {
      const [one] = await two();
      await one.record(firing("R1"));
      await one.record(firing("R2", { at: 3000 }));
      await one.record(firing("R3", { at: 3000, trigger: "another" }));
      await one.settle("R1", "ended");
      const ids = async (filter?: Parameters<Firings["list"]>[0]) => (await one.list(filter)).map(({ runId }) => runId);
      expect(await ids()).toEqual(["R3", "R2", "R1"]);
      expect(await ids({ trigger: TRIGGER })).toEqual(["R2", "R1"]);
      expect(await ids({ status: "fired" })).toEqual(["R3", "R2"]);
      expect(await ids({ limit: 1 })).toEqual(["R3"]);
      expect(await ids({ limit: 2, order: "oldest" })).toEqual(["R1", "R2"]);
    });

    test("a firing is claimed by one, given back, and taken from one that is dead", async () => {
      const [one, other] = await two();
      await one.record(firing("R1"));
      expect(await one.claim("R1", DEAD)).toBe(true);
      expect(await one.claim("R1")).toBe(true);
      expect(await other.claim("R1")).toBe(false);
      await one.release("R1");
      expect(await other.claim("R1")).toBe(true);
      await one.settle("R1", "ended");
      expect(await one.claim("R1")).toBe(false);
      expect(await one.claim("unheard of")).toBe(false);
    });

    test("over the limit of its group a firing waits, and the dead hold no place", async () => {
      const [one] = await two();
      const group = { key: "acme/shop", limit: 2 };
      for (const runId of ["R1", "R2", "R3"]) await one.record(firing(runId, { group }));
      await one.record(firing("R4", { group: { key: "acme/other", limit: 1 } }));
      expect(await one.claim("R1")).toBe(true);
      expect(await one.claim("R2", DEAD)).toBe(true);
      expect(await one.claim("R3")).toBe(true);
      expect(await one.claim("R2")).toBe(false);
      expect(await one.claim("R4")).toBe(true);
      await one.settle("R1", "ended");
      expect(await one.claim("R2")).toBe(true);
    });

    test("two who claim of one group at once do not both get its last place", async () => {
      const [one, other] = await two();
      const group = { key: "acme/shop", limit: 1 };
      const runs = Array.from({ length: 8 }, (_, index) => `R${index}`);
      for (const runId of runs) await one.record(firing(runId, { group }));
      const got = await Promise.all(runs.map(async (runId, index) => (index % 2 ? one : other).claim(runId)));
      expect(got.filter(Boolean)).toHaveLength(1);
    });

    test("what a trigger has seen goes forward only, and pausing is known to all", async () => {
      const [one, other] = await two();
      expect(await one.state(TRIGGER)).toEqual({ paused: false, seenUntil: null });
      await one.see(TRIGGER, 5000);
      await other.see(TRIGGER, 4000);
      expect(await one.state(TRIGGER)).toEqual({ paused: false, seenUntil: 5000 });
      await other.setPaused(TRIGGER, true, 6000);
      expect(await one.state(TRIGGER)).toEqual({ paused: true, seenUntil: 6000 });
      await one.see(TRIGGER, 7000);
      await one.setPaused(TRIGGER, false, 6500);
      expect(await other.state(TRIGGER)).toEqual({ paused: false, seenUntil: 7000 });
      await one.setPaused(TRIGGER, true, 8000, "alex");
      await one.see(TRIGGER, 9000);
      expect(await other.state(TRIGGER)).toEqual({ paused: true, seenUntil: 9000, pausing: { by: "alex", at: 8000 } });
      await other.setPaused(TRIGGER, false, 9000, "kim");
      expect(await one.state(TRIGGER)).toEqual({ paused: false, seenUntil: 9000 });
    });

    test("what was seen and skipped in a time to come is taken back, and what made a run is not", async () => {
      const [one, other] = await two();
      const skipped = (runId: string, at: number) =>
        one.record(firing(runId, { at, skipped: "no server was up", marks: [{ name: `at:${runId}` }] }));
      await skipped("R1", 1000);
      await skipped("R2", 9000);
      await one.record(firing("R3", { at: 9000, marks: [{ name: "at:R3" }] }));
      await one.record(firing("R4", { at: 9000, trigger: "another", skipped: "no server was up" }));
      await skipped("R7", 4500);
      await one.record(firing("R8", { at: 9000, refused: "the file is broken", marks: [{ name: "at:R8" }] }));
      await one.see(TRIGGER, 9000);
      await other.takeBack(TRIGGER, 4000, 5000);
      expect((await one.state(TRIGGER)).seenUntil).toBe(4000);
      expect((await one.list()).map(({ runId }) => runId).sort()).toEqual(["R1", "R3", "R4", "R7"]);
      expect(await one.record(firing("R5", { marks: [{ name: "at:R2" }] }))).toMatchObject({ isNew: true });
      expect(await one.record(firing("R6", { marks: [{ name: "at:R3" }] }))).toMatchObject({ isNew: false });
      expect(await one.record(firing("R9", { marks: [{ name: "at:R8" }] }))).toMatchObject({ isNew: true });
      await other.takeBack(TRIGGER, 6000, 6000);
      expect((await one.state(TRIGGER)).seenUntil).toBe(4000);
    });

    test("what is long over is forgotten with its marks, and what goes on is not", async () => {
      const store = await make.fresh({ now: () => 10_000 });
      const firings = firingsOf(store);
      const marks = [{ name: "at:03:00" }];
      await firings.record(firing("R1", { marks }));
      await firings.settle("R1", "ended");
      await firings.record(firing("R2"));
      expect(await firings.expire(1000, 10_000)).toBe(0);
      expect(await firings.expire(1001, 10_000)).toBe(1);
      expect((await firings.list()).map(({ runId }) => runId)).toEqual(["R2"]);
      expect(await firings.record(firing("R3", { marks }))).toMatchObject({ isNew: true });
    });
  });
}
