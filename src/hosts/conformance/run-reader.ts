// What every reader of a run sees.
import { describe, expect, test } from "vitest";
import { numbers, output, type StoreMaker, someRun } from "./store-maker.ts";

export function runReaderConformance(name: string, make: StoreMaker): void {
  describe(`${name}, a run that is read`, () => {
    test("what was appended comes back in order, whole or from a number on", async () => {
      const store = await make.fresh();
      const run = await store.createRun(someRun());
      await run.append([output(1, "a"), output(2, "b"), output(3, "c")]);
      await run.append([output(4, "d")]);
      await run.release();
      const reader = await store.readRun(run.runId);
      expect(await numbers(reader.events())).toEqual([1, 2, 3, 4]);
      expect(await numbers(reader.events(2))).toEqual([3, 4]);
      expect(await numbers(reader.events(4))).toEqual([]);
      expect(await reader.lastSeq).toBe(4);
      expect(reader.meta).toMatchObject({ runId: run.runId, workflow: "release", durability: "process" });
      await reader.close();
    });

    test("more batches than are read at a time come back without a gap", async () => {
      const run = await (await make.fresh()).createRun(someRun());
      for (let seq = 1; seq <= 901; seq += 2) await run.append([output(seq, seq), output(seq + 1, null)]);
      expect(await numbers(run.events(77))).toEqual(Array.from({ length: 902 - 77 }, (_, at) => at + 78));
    });

    test("a run is read while it is driven: each time with what is there by then", async () => {
      const store = await make.fresh();
      const run = await store.createRun(someRun());
      const reader = await (await make.again(store)).readRun(run.runId);
      expect(await reader.lastSeq).toBe(0);
      await run.append([output(1, "a")]);
      expect(await numbers(reader.events())).toEqual([1]);
      await run.append([output(2, "b"), output(3, "c")]);
      expect(await numbers(reader.events(1))).toEqual([2, 3]);
      expect(await reader.lastSeq).toBe(3);
      await reader.close();
    });

    test("it is known who holds a run, and that nobody does", async () => {
      const store = await make.fresh();
      const run = await store.createRun(someRun());
      const reader = await store.readRun(run.runId);
      expect(await reader.holder()).toMatchObject({ pid: process.pid, since: expect.any(String) });
      await run.release();
      expect(await reader.holder()).toBeUndefined();
      await reader.close();
    });

    test("secrets that turned up are added to those that are there, and leave the secret inputs alone", async () => {
      const store = await make.fresh();
      const run = await store.createRun(someRun());
      expect(await run.metSecrets()).toEqual({ secrets: [], shortSecrets: [] });
      await run.saveSecrets({ pin: "1234" });
      await run.keepMet({ secrets: ["tok-1"], shortSecrets: [] });
      await run.keepMet({ secrets: ["tok-2", "tok-1"], shortSecrets: ["0000"] });
      await run.saveSecrets({ pin: "4321" });
      await run.release();
      const reader = await store.readRun(run.runId);
      expect(await reader.metSecrets()).toEqual({ secrets: ["tok-1", "tok-2"], shortSecrets: ["0000"] });
      expect(await reader.secrets()).toEqual({ pin: "4321" });
      await reader.close();
    });

    test("secrets and pinned files come back, of each drive its own", async () => {
      const store = await make.fresh();
      const run = await store.createRun(someRun());
      expect(await run.secrets()).toEqual({});
      expect((await run.pinned()).size).toBe(0);
      await run.saveSecrets({ token: "s3cret", nested: { a: [1] } });
      const first = new Map([
        ["a.yaml", "one"],
        ["b.md", "zero \u0000 inside"],
      ]);
      await run.pin(1, first);
      await run.pin(2, new Map([["a.yaml", "two"]]));
      await run.release();
      const reader = await store.readRun(run.runId);
      expect(await reader.secrets()).toEqual({ token: "s3cret", nested: { a: [1] } });
      expect(await reader.pinned(1)).toEqual(first);
      expect(await reader.pinned()).toEqual(new Map([["a.yaml", "two"]]));
      expect((await reader.pinned(3)).size).toBe(0);
      await reader.close();
    });
  });
}
