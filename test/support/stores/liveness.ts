// What every store knows about the processes that use it: what a dead one held is free, what a living one holds is not.
import { describe, expect, test, vi } from "vitest";
import { LeaseHeld, LeaseLost } from "../../../src/storage/store-error.ts";
import { all, output, refused, type StoreMaker, someRun } from "./store-maker.ts";

export function livenessConformance(name: string, make: StoreMaker): void {
  describe(`${name}, whether a process lives`, () => {
    const { silenceMs } = make;

    test("this process lives, and is known to others by its name", async () => {
      const store = await make.fresh();
      const { liveness } = store.state;
      const self = await liveness.self();
      expect(await liveness.self()).toBe(self);
      expect(await liveness.isAlive(self)).toBe(true);
      expect(await (await make.again(store)).state.liveness.isAlive(self)).toBe(true);
    });

    test("a process on another machine is dead when it was watched through some silence, and not before", async () => {
      let now = 1_000_000;
      const store = await make.fresh({ now: () => now, host: "one" });
      const elsewhere = await make.again(store, { now: () => now, host: "two" });
      const self = await store.state.liveness.self();
      expect(await elsewhere.state.liveness.isAlive(self)).toBe(true);
      now += silenceMs;
      expect(await elsewhere.state.liveness.isAlive(self)).toBe(true);
      now += 1;
      expect(await elsewhere.state.liveness.isAlive(self)).toBe(false);
    });

    test("a run whose driver fell silent is taken over, and who was thought dead writes nothing more", async () => {
      let now = Date.parse("2026-01-01T00:00:00Z");
      const store = await make.fresh({ now: () => now, host: "one" });
      const elsewhere = await make.again(store, { now: () => now, host: "two" });
      const run = await store.createRun(someRun());
      await run.append([output(1, "mine")]);
      const holder = await run.holder();

      await refused(() => elsewhere.openRun(run.runId)).toThrow(LeaseHeld);
      now += silenceMs;
      await refused(() => elsewhere.openRun(run.runId)).toThrow(/on one, since 2026-01-01T00:00:00.000Z/);
      expect((await elsewhere.runs())[0]).toMatchObject({ crashed: false });
      expect(await elsewhere.state.liveness.holderIsAlive(holder!)).toBe(true);
      now += 1;
      expect((await elsewhere.runs())[0]).toMatchObject({ crashed: true });
      expect(await elsewhere.state.liveness.holderIsAlive(holder!)).toBe(false);
      const taken = await elsewhere.openRun(run.runId);
      expect(taken.takenOver).toMatchObject({ host: "one" });
      // Suspended meanwhile: only the wall clock may have gone on.
      const later = Date.now() + 3_600_000;
      const wall = vi.spyOn(Date, "now").mockReturnValue(later);
      await expect(run.assertLease()).rejects.toThrow(LeaseLost);
      wall.mockRestore();
      await refused(() => run.append([output(2, "mine")])).toThrow(LeaseLost);
      await taken.append([output(2, "theirs")]);
      await run.release();
      await refused(() => store.openRun(run.runId)).toThrow(LeaseHeld);
      expect((await all(taken.events())).map((event) => (event.data as { output: unknown }).output)).toEqual([
        "mine",
        "theirs",
      ]);
    });

    test("clocks that differ neither take a run from a living process nor keep a dead one's", async () => {
      for (const differMs of [120_000, -120_000, 864e5]) {
        let elapsed = 0;
        const store = await make.fresh({ now: () => 1_000_000 + elapsed, host: "one" });
        const options = { now: () => 1_000_000 + differMs + elapsed, elapsed: () => elapsed, host: "two" };
        const elsewhere = await make.again(store, options);
        const run = await store.createRun(someRun());
        const take = async () => elsewhere.openRun(run.runId);
        await expect(take()).rejects.toThrow(LeaseHeld);
        elapsed += silenceMs + 1;
        expect((await take()).takenOver).toMatchObject({ host: "one" });
      }
    });

    test("places and letters that a silent process held are free", async () => {
      let now = 1_000_000;
      const store = await make.fresh({ now: () => now, host: "one" });
      const elsewhere = await make.again(store, { now: () => now, host: "two" });
      const held = await store.state.slots.acquire("tasks", 1);
      const letter = { id: "L1", runId: "R1", place: "a", workflow: "w", node: "a", kind: "a.b", body: {} };
      await store.state.letters.put(letter);
      await store.state.letters.claim(["L1"]);
      expect(await elsewhere.state.slots.acquire("tasks", 1)).toBeUndefined();
      now += silenceMs;
      expect(await elsewhere.state.slots.acquire("tasks", 1)).toBeUndefined();
      expect(await elsewhere.state.letters.claim(["L1"])).toEqual([]);
      now += 1;
      const next = await make.again(store, { now: () => now, host: "three" });
      expect(await elsewhere.state.slots.acquire("tasks", 1, await next.state.liveness.self())).toBeDefined();
      expect(await elsewhere.state.letters.claim(["L1"])).toEqual(["L1"]);
      // The process was only suspended: what it frees when it wakes up is not its own any more.
      await store.state.slots.release(held!);
      expect(await next.state.slots.taken("tasks")).toBe(1);
    });
  });
}
