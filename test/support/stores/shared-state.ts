// What every store shares between runs: a change by one process is seen by all others, and of two processes that want
// the same thing one gets it.
import { describe, expect, test } from "vitest";
import type { LetterFilter, NewLetter } from "../../../src/storage/shared-state.ts";
import { type StoreMaker, someRun } from "./store-maker.ts";

const letter = (over: Partial<NewLetter> = {}): NewLetter => ({
  id: "L1",
  runId: "R1",
  place: "build[3].test#1",
  workflow: "release",
  node: "test",
  kind: "external.git.drift",
  body: { item: 3 },
  ...over,
});

export function sharedStateConformance(name: string, make: StoreMaker): void {
  describe(`${name}, what runs share`, () => {
    const stateOf = async (options: Parameters<StoreMaker["fresh"]>[0] = {}) => (await make.fresh(options)).state;

    test("a run's row is there for whoever looks, and can be written anew", async () => {
      const store = await make.fresh();
      const { runId } = await store.createRun(someRun());
      const { runs } = store.state;
      const row = await runs.get(runId);
      expect(row).toMatchObject({ runId, workflow: "release", status: "running", driver: { pid: process.pid } });
      await runs.put({ ...row!, status: "failed", failingKind: "a.b", driver: null });
      expect(await runs.list({ status: "failed" })).toMatchObject([{ runId, failingKind: "a.b", driver: null }]);
      await runs.remove(runId);
      expect(await runs.get(runId)).toBeUndefined();
    });

    test.each(["breakers", "limits"] as const)("%s keep what their owner gave them", async (table) => {
      const { [table]: breakers } = await stateOf();
      expect(await breakers.get("api")).toBeUndefined();
      expect(await breakers.update("api", (state) => ({ failures: state ? 1 : 0 }))).toEqual({ failures: 0 });
      await breakers.update("db", () => ({ failures: 7 }));
      // A store that is made of others says which of them has it.
      expect(await breakers.list()).toEqual([
        { name: expect.stringMatching(/^(\w\/)?api$/), state: { failures: 0 } },
        { name: expect.stringMatching(/^(\w\/)?db$/), state: { failures: 7 } },
      ]);
      expect(await breakers.reset("db")).toBe(true);
      expect(await breakers.reset("db")).toBe(false);
    });

    test("a second failure of the same place is the same letter, counted", async () => {
      let now = 1000;
      const { letters } = await stateOf({ now: () => now });
      expect(await letters.put(letter())).toBe("L1");
      now = 2000;
      expect(await letters.put(letter({ id: "L2", kind: "external.git.gone" }))).toBe("L1");
      expect(await letters.get("L1")).toMatchObject({
        count: 2,
        kind: "external.git.gone",
        status: "open",
        firstSeen: "1970-01-01T00:00:01.000Z",
        lastSeen: "1970-01-01T00:00:02.000Z",
        body: { item: 3 },
      });
      expect(await letters.get("L2")).toBeUndefined();
    });

    test("letters are found by kind, workflow, run, time and status", async () => {
      let now = 0;
      const { letters } = await stateOf({ now: () => now });
      for (const [id, kind, workflow] of [
        ["A", "external.git.drift", "release"],
        ["B", "external.api", "nightly"],
        ["C", "externals.other", "release"],
        ["D", "http.status", "release"],
      ] as const) {
        now += 1000;
        await letters.put(letter({ id, place: id, kind, workflow }));
      }
      const ids = async (filter: LetterFilter) => (await letters.list(filter)).map((one) => one.id);
      expect(await ids({})).toEqual(["D", "C", "B", "A"]);
      expect(await ids({ kind: "*" })).toHaveLength(4);
      expect(await ids({ kind: "external.*" })).toEqual(["B", "A"]);
      expect(await ids({ kind: "external.git.*" })).toEqual(["A"]);
      expect(await ids({ kind: "http.status", workflow: "release" })).toEqual(["D"]);
      expect(await ids({ runId: "R2" })).toEqual([]);
      expect(await ids({ since: 3000 })).toEqual(["D", "C"]);
      expect(await ids({ limit: 2 })).toEqual(["D", "C"]);
      expect(await letters.setStatus(["C", "unheard of"], "dropped")).toMatchObject([{ id: "C", status: "dropped" }]);
      expect(await ids({ status: ["open", "retrying"], workflow: "release" })).toEqual(["D", "A"]);
      expect(await letters.expire(2500)).toBe(2);
      expect(await ids({})).toEqual(["D", "C"]);
    });

    test("a letter keeps who did what with it, across a claim and other changes", async () => {
      const store = await make.fresh();
      const { letters } = store.state;
      await letters.put(letter());
      await letters.put(letter({ id: "L2", place: "other" }));
      const retried = { what: "retried", by: "alice", at: "2026-01-02T03:04:05.000Z" } as const;
      const dropped = { what: "dropped", by: "bob", at: "2026-01-02T03:05:05.000Z" } as const;
      await letters.claim(["L1"]);
      await letters.setStatus(["L1"], "retrying", retried);
      expect(await letters.get("L1")).toMatchObject({ status: "retrying" });
      await letters.setStatus(["L1"], "open");
      await letters.setStatus(["L1", "L2"], "dropped", dropped);
      const again = (await make.again(store)).state.letters;
      expect((await again.get("L1"))?.body).toEqual({ ...letter().body, acts: [retried, dropped] });
      expect((await again.get("L2"))?.body).toEqual({ ...letter().body, acts: [dropped] });
    });

    test("a letter is retried by one at a time", async () => {
      const store = await make.fresh();
      const { letters } = store.state;
      const other = (await make.again(store)).state.letters;
      await letters.put(letter());
      await letters.put(letter({ id: "L2", place: "other" }));
      expect(await other.claim(["L1", "unheard of"])).toEqual(["L1"]);
      expect(await letters.claim(["L1", "L2"])).toEqual(["L2"]);
      expect(await letters.list({ status: "open" })).toEqual([]);
      // What is being retried is not too old.
      expect(await letters.expire(Number.MAX_SAFE_INTEGER)).toBe(0);
      await letters.setStatus(["L1"], "open");
      expect(await letters.claim(["L1"])).toEqual(["L1"]);
      await letters.setStatus(["L1"], "resolved");
      expect(await other.claim(["L1"])).toEqual([]);
    });

    test("outcomes are kept for as long as was asked", async () => {
      let now = 1000;
      const { cache } = await stateOf({ now: () => now });
      await cache.put("a", null);
      await cache.put("b", { x: 1 }, { ttl: 500 });
      expect(await cache.get("a")).toEqual({ value: null });
      expect(await cache.get("b")).toEqual({ value: { x: 1 } });
      now = 1500;
      expect(await cache.get("b")).toBeUndefined();
      await cache.put("b", 2);
      expect(await cache.get("b")).toEqual({ value: 2 });
      expect(await cache.get("c")).toBeUndefined();
    });

    test("the first answer to a gate is heard, from wherever it comes", async () => {
      const store = await make.fresh();
      const { gates } = store.state;
      const other = (await make.again(store)).state.gates;
      await gates.present("R1", "approve#1", { prompt: "Ship?" });
      expect(await other.pending()).toMatchObject([{ runId: "R1", key: "approve#1", question: { prompt: "Ship?" } }]);
      expect(await gates.get("R1", "approve#1")).toBeUndefined();
      expect(await other.answer("R1", "approve#1", { value: "yes" })).toBe("ok");
      expect(await gates.answer("R1", "approve#1", { value: "no" })).toBe("late");
      expect(await gates.answer("R1", "approve#2", {})).toBe("unknown");
      expect(await gates.get("R1", "approve#1")).toEqual({ answer: { value: "yes" } });
      await gates.present("R1", "approve#1", { prompt: "Ship?" });
      expect(await gates.get("R1", "approve#1")).toEqual({ answer: { value: "yes" } });
      expect(await gates.pending()).toEqual([]);
    });

    test("a question that its drive has settled is closed to others, unless one of them was first", async () => {
      const store = await make.fresh();
      const { gates } = store.state;
      const other = (await make.again(store)).state.gates;
      const question = { prompt: "Ship?" };
      await gates.present("R1", "approve#1", question);
      expect(await gates.settle("R1", "approve#1", question, { value: "no" })).toBeUndefined();
      expect(await other.answer("R1", "approve#1", { value: "yes" })).toBe("late");
      expect(await other.counted("R1", "approve#1")).toEqual({ answer: { value: "no" } });
      // The drive has taken it: no answer is pending any more.
      expect(await other.get("R1", "approve#1")).toBeUndefined();
      expect(await other.answerTo("R1", "approve#1", question)).toBeUndefined();
      await gates.present("R1", "approve#1", question);
      expect(await other.counted("R1", "approve#1")).toBeUndefined();
      expect(await other.answer("R1", "approve#1", { value: "yes" })).toBe("ok");
      expect(await gates.settle("R1", "approve#1", question, { value: "no" })).toEqual({ answer: { value: "yes" } });
      await gates.withdraw("R1");
      expect(await gates.get("R1", "approve#1")).toEqual({ answer: { value: "yes" } });
      await gates.present("R1", "approve#2", question);
      expect(await gates.settle("R1", "approve#2", question)).toBeUndefined();
      expect(await other.answer("R1", "approve#2", { value: "yes" })).toBe("late");
    });

    test("a question that was taken back is asked anew, and an answer to another question is none to it", async () => {
      const { gates } = await stateOf();
      await gates.present("R1", "approve#2", {});
      await gates.withdraw("R1");
      expect(await gates.pending("R1")).toEqual([]);
      expect(await gates.answer("R1", "approve#2", {})).toBe("late");
      await gates.present("R1", "approve#2", {});
      expect(await gates.answer("R1", "approve#2", 1)).toBe("ok");
      expect(await gates.answerTo("R1", "approve#2", {})).toEqual({ answer: 1 });
      expect(await gates.answered("R1", ["approve#2", "approve#7"])).toEqual(["approve#2"]);
      expect(await gates.answered("R2", ["approve#2"])).toEqual([]);
      expect(await gates.answerTo("R1", "approve#2", { prompt: "Another?" })).toBeUndefined();
      await gates.present("R1", "approve#2", { prompt: "Another?" });
      expect(await gates.get("R1", "approve#2")).toBeUndefined();
      expect(await gates.pending("R1")).toHaveLength(1);
      expect(await gates.answer("R1", "approve#2", 1, { prompt: "Ship?" })).toBe("changed");
      expect(await gates.get("R1", "approve#2")).toBeUndefined();
      expect(await gates.answer("R1", "approve#2", 1, { prompt: "Another?" })).toBe("ok");
      await gates.forget("R1");
      expect(await gates.answer("R1", "approve#2", 1)).toBe("unknown");
    });

    test("there are as many places as were asked for", async () => {
      const store = await make.fresh();
      const { slots } = store.state;
      const other = (await make.again(store)).state.slots;
      const mine = await slots.acquire("tasks", 2);
      expect(await other.acquire("tasks", 2)).toMatchObject({ scope: "tasks" });
      expect(await slots.acquire("tasks", 2)).toBeUndefined();
      expect(await slots.acquire("others", 1)).toBeDefined();
      expect(await other.taken("tasks")).toBe(2);
      await slots.release(mine!);
      expect(await other.taken("tasks")).toBe(1);
      expect(await other.acquire("tasks", 2)).toMatchObject({ slot: mine?.slot });
    });

    test("a step that runs in another run is known, and how it went last", async () => {
      const { running } = await stateOf();
      expect(await running.begin("deploy", "R1", "deploy#1")).toEqual({ runningIn: [], lastFailed: false });
      expect(await running.begin("deploy", "R1", "deploy#2")).toEqual({ runningIn: [], lastFailed: false });
      expect(await running.begin("deploy", "R2", "deploy#1")).toEqual({ runningIn: ["R1"], lastFailed: false });
      await running.end("deploy", "R1", "deploy#1", true);
      expect(await running.begin("deploy", "R2", "deploy#1")).toMatchObject({ runningIn: ["R1"] });
      await running.end("deploy", "R1", "deploy#2", false);
      expect(await running.begin("deploy", "R2", "deploy#1")).toEqual({ runningIn: [], lastFailed: true });
      // It never ran: how it went last stays as it was.
      await running.end("deploy", "R2", "deploy#1");
      expect(await running.begin("deploy", "R1", "deploy#3")).toEqual({ runningIn: [], lastFailed: true });
      await running.clear("R1");
      expect(await running.begin("deploy", "R2", "deploy#2")).toMatchObject({ runningIn: [] });
      expect(await running.begin("build", "R2", "build#1")).toMatchObject({ lastFailed: false });
    });
  });
}
