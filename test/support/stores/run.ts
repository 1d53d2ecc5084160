// What every log of a run does (it takes what its drive records, in order, and nothing from any other process), and what every
// reader sees.
import { describe, expect, test } from "vitest";
import { LeaseHeld } from "../../../src/storage/store-error.ts";
import { all, driven, numbers, output, refused, type StoreMaker, someRun } from "./store-maker.ts";

export function runLogConformance(name: string, make: StoreMaker): void {
  describe(`${name}, a run that is driven`, () => {
    test("a run that goes on is appended to where it ended", async () => {
      const store = await make.fresh();
      const first = await store.createRun(someRun());
      await first.append([output(1, "a")]);
      await first.release();
      const second = await store.openRun(first.runId);
      expect(second.lastSeq).toBe(1);
      expect(second.takenOver).toBeUndefined();
      await second.append([output(2, "b")]);
      expect(second.lastSeq).toBe(2);
      expect(await all(second.events())).toHaveLength(2);
    });

    test("events that leave a gap are refused, and nothing of them is kept", async () => {
      const { run } = await driven(make);
      await refused(() => run.append([output(2, "b")])).toThrow("does not follow");
      await run.append([output(1, "a")]);
      expect(await numbers(run.events())).toEqual([1]);
    });

    test("a value of any size, and any text, comes back as it was", async () => {
      const { run } = await driven(make);
      const mark = { $blob: `sha256:${"0".repeat(64)}` };
      const values = [
        { big: "x".repeat(300_000) },
        "zero \u0000 inside",
        "🎼 ' \" \\",
        null,
        [1, [2.5]],
        // What looks like the mark of a value that is kept outside, also beside such a value.
        mark,
        { $blob: "inline", value: mark },
        { big: "y".repeat(300_000), mark },
      ];
      await run.append(values.map((value, at) => output(at + 1, value)));
      const events = await all(run.events());
      expect(events.map(({ data }) => (data as { output: unknown }).output)).toEqual(values);
    });

    test("events are written anew without secrets, and none is kept from then on", async () => {
      const { store, run } = await driven(make);
      await run.saveSecrets({ pin: "4711" });
      await run.keepMet({ secrets: ["tok-abcdef"], shortSecrets: [] });
      const big = (secret: string): object => ({ big: `${secret} ${"x".repeat(200_000)}` });
      await run.append([output(1, "says tok-abcdef"), output(2, big("tok-abcdef"))]);
      await run.append([output(3, "nothing")]);
      expect(await store.runsWithSecrets()).toEqual([run.runId]);
      await run.forgetSecrets((event) => JSON.parse(JSON.stringify(event).replaceAll("tok-abcdef", "<redacted>")));
      await run.release();
      const reader = await (await make.again(store)).readRun(run.runId);
      const outputs = (await all(reader.events())).map(({ data }) => (data as { output: unknown }).output);
      expect(outputs).toEqual(["says <redacted>", big("<redacted>"), "nothing"]);
      expect(await reader.secrets()).toEqual({});
      expect(await reader.seenSecrets()).toEqual({ secrets: [], shortSecrets: [] });
      expect([await reader.hasForgottenSecrets(), await reader.hasLostSecrets()]).toEqual([true, false]);
      await reader.close();
      // What goes on with it, should it, goes on behind these.
      const again = await store.openRun(run.runId);
      await again.append([output(4, "more")]);
      await again.release();
    });

    test("a run that is driven is held, also for whoever drives it", async () => {
      const { store, run } = await driven(make);
      await refused(() => store.openRun(run.runId)).toThrow(LeaseHeld);
      await run.release();
      await (await store.openRun(run.runId)).release();
    });

    test("a released run has no driver any more, and closing the store releases what is open", async () => {
      const { store, run } = await driven(make);
      const other = await make.again(store);
      expect(await other.summary(run.runId)).toMatchObject({ status: "running", crashed: false });
      await run.setStatus("paused", { resumable: true });
      await run.release();
      expect(await other.summary(run.runId)).toMatchObject({ status: "paused", resumable: true, crashed: false });
      const again = await store.openRun(run.runId);
      // Opening the run to see whether it can be resumed changes nothing.
      expect(await other.summary(run.runId)).toMatchObject({ status: "paused" });
      await again.takeUp();
      expect(await other.summary(run.runId)).toMatchObject({ status: "running" });
      await store.close();
      await (await other.openRun(run.runId)).release();
    });

    test("the next drive knows up to where events were exported", async () => {
      const store = await make.fresh();
      const first = await store.createRun(someRun());
      const line = (seq: number): string => `${JSON.stringify({ seq })}\n`;
      expect(first.exported()).toEqual({ lastSeq: 0, lost: 0 });
      await first.append([output(1, "a"), output(2, "b")]);
      first.exportEvents(() => line(1) + line(2), 20);
      first.flush();
      await first.release();
      const second = await store.openRun(first.runId);
      expect(second.exported()).toEqual({ lastSeq: 2, lost: 0 });
      // As a power cut leaves it: the copy has more than the journal.
      second.exportEvents(() => line(3) + line(4), 20);
      await second.release();
      const third = await store.openRun(first.runId);
      expect(third.exported()).toEqual({ lastSeq: 2, lost: 2 });
    });
  });
}

export function runReaderConformance(name: string, make: StoreMaker): void {
  describe(`${name}, a run that is read`, () => {
    test("what was appended comes back in order, whole or from a number on", async () => {
      const { store, run } = await driven(make);
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
      const { run } = await driven(make);
      for (let seq = 1; seq <= 901; seq += 2) await run.append([output(seq, seq), output(seq + 1, null)]);
      expect(await numbers(run.events(77))).toEqual(Array.from({ length: 902 - 77 }, (_, at) => at + 78));
    });

    test("a run is read while it is driven: each time with what is there by then", async () => {
      const { store, run } = await driven(make);
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
      const { store, run } = await driven(make);
      const reader = await store.readRun(run.runId);
      expect(await reader.holder()).toMatchObject({ pid: process.pid, since: expect.any(String) });
      await run.release();
      expect(await reader.holder()).toBeUndefined();
      await reader.close();
    });

    test("secrets that turned up are added to those that are there, and leave the secret inputs alone", async () => {
      const { store, run } = await driven(make);
      expect(await run.seenSecrets()).toEqual({ secrets: [], shortSecrets: [] });
      await run.saveSecrets({ pin: "1234" });
      await run.keepMet({ secrets: ["tok-1"], shortSecrets: [] });
      await run.keepMet({ secrets: ["tok-2", "tok-1"], shortSecrets: ["0000"] });
      await run.saveSecrets({ pin: "4321" });
      await run.release();
      const reader = await store.readRun(run.runId);
      expect(await reader.seenSecrets()).toEqual({ secrets: ["tok-1", "tok-2"], shortSecrets: ["0000"] });
      expect(await reader.secrets()).toEqual({ pin: "4321" });
      await reader.close();
    });

    test("secrets and pinned files come back, of each drive its own", async () => {
      const { store, run } = await driven(make);
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
