// What runs share, also between processes.
import { describe, expect, test } from "vitest";
import { freshStore, openTestStore } from "../testing/homes.ts";
import { program, start } from "../testing/programs.ts";
import type { NewLetter } from "./letters.ts";

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

/** The identity of a process that has ended. */
const DEAD = JSON.stringify(["vm", 999_999_999, "x"]);

describe("breakers", () => {
  test("keep what their owner gave them", () => {
    const { breakers } = freshStore().state;
    expect(breakers.get("api")).toBeUndefined();
    expect(breakers.update("api", (state) => ({ failures: state ? 1 : 0 }))).toEqual({ failures: 0 });
    breakers.update("db", () => ({ failures: 7 }));
    expect(breakers.list()).toEqual([
      { name: "api", state: { failures: 0 } },
      { name: "db", state: { failures: 7 } },
    ]);
    expect(breakers.reset("db")).toBe(true);
    expect(breakers.reset("db")).toBe(false);
  });

  test("count every failure of four processes", async () => {
    const store = freshStore();
    const count = program(`
      for (let at = 0; at < 500; at += 1) store.state.breakers.update("api", (n) => (n ?? 0) + 1);
      store.close();
    `);
    const all = Array.from({ length: 4 }, () => start(count, store.home));
    expect(await Promise.all(all.map((one) => one.ended))).toEqual([0, 0, 0, 0]);
    expect(store.state.breakers.get("api")).toBe(2000);
  }, 120_000);
});

describe("letters", () => {
  test("a second failure of the same place is the same letter, counted", () => {
    let now = 1000;
    const { letters } = freshStore({ now: () => now }).state;
    expect(letters.put(letter())).toBe("L1");
    now = 2000;
    expect(letters.put(letter({ id: "L2", kind: "external.git.gone" }))).toBe("L1");
    expect(letters.get("L1")).toMatchObject({
      count: 2,
      kind: "external.git.gone",
      status: "open",
      firstSeen: "1970-01-01T00:00:01.000Z",
      lastSeen: "1970-01-01T00:00:02.000Z",
      body: { item: 3 },
    });
    expect(letters.get("L2")).toBeUndefined();
  });

  test("are found by kind, workflow, run, time and status", () => {
    let now = 0;
    const { letters } = freshStore({ now: () => now }).state;
    for (const [id, kind, workflow] of [
      ["A", "external.git.drift", "release"],
      ["B", "external.api", "nightly"],
      ["C", "externals.other", "release"],
      ["D", "http.status", "release"],
    ] as const) {
      now += 1000;
      letters.put(letter({ id, place: id, kind, workflow }));
    }
    const ids = (filter: Parameters<typeof letters.list>[0]) => letters.list(filter).map((one) => one.id);
    expect(ids({})).toEqual(["D", "C", "B", "A"]);
    expect(ids({ kind: "*" })).toHaveLength(4);
    expect(ids({ kind: "external.*" })).toEqual(["B", "A"]);
    expect(ids({ kind: "external.git.*" })).toEqual(["A"]);
    expect(ids({ kind: "http.status", workflow: "release" })).toEqual(["D"]);
    expect(ids({ since: 3000 })).toEqual(["D", "C"]);
    expect(ids({ limit: 2 })).toEqual(["D", "C"]);
    letters.update("C", () => ({ status: "dropped" }));
    expect(ids({ status: ["open", "retrying"], workflow: "release" })).toEqual(["D", "A"]);
    expect(letters.expire(2500)).toBe(2);
    expect(ids({})).toEqual(["D", "C"]);
  });

  test("one process gets a letter, and gives it back by dying", async () => {
    const store = freshStore();
    store.state.letters.put(letter());
    const claimer = program(`
      say("ready");
      await told();
      say(String(store.state.letters.claim("L1")));
      await told();
    `);
    const two = [start(claimer, store.home), start(claimer, store.home)];
    for (const one of two) await one.line();
    for (const one of two) one.tell();
    const answers = await Promise.all(two.map((one) => one.line()));
    expect([...answers].sort()).toEqual(["false", "true"]);
    const { letters } = store.state;
    expect(letters.claim("L1")).toBe(false);
    expect(letters.list({ status: "open" })).toEqual([]);
    two[answers.indexOf("true")]!.child.kill("SIGKILL");
    await two[answers.indexOf("true")]!.ended;
    expect(letters.list({ status: "open" })).toHaveLength(1);
    expect(letters.claim("L1")).toBe(true);
    expect(letters.update("L1", () => ({ status: "resolved" }))).toMatchObject({ status: "resolved" });
    expect(letters.claim("L1")).toBe(false);
    expect(letters.claim("unheard of")).toBe(false);
  });

  test("ten thousand are no trouble", () => {
    const store = freshStore();
    const { letters } = store.state;
    store.state.atOnce(() => {
      for (let at = 0; at < 10_000; at += 1)
        letters.put(
          letter({
            id: `L${at}`,
            place: `p${at}`,
            kind: at % 100 === 0 ? "http.status" : "external.x",
            body: { text: "b".repeat(2000) },
          }),
        );
    });
    expect(letters.list({ kind: "http.*" })).toHaveLength(100);
    expect(letters.list({ limit: 50 })).toHaveLength(50);
  });
});

test("the cache keeps values for as long as it was told", () => {
  let now = 1000;
  const { cache } = freshStore({ now: () => now }).state;
  cache.put("a", null);
  cache.put("b", { x: 1 }, { ttl: 500 });
  expect(cache.get("a")).toEqual({ value: null });
  expect(cache.get("b")).toEqual({ value: { x: 1 } });
  now = 1500;
  expect(cache.get("b")).toBeUndefined();
  cache.put("b", 2);
  expect(cache.get("b")).toEqual({ value: 2 });
  expect(cache.get("c")).toBeUndefined();
});

test("the first answer to a gate is heard, from wherever it comes", () => {
  const store = freshStore();
  const { gates } = store.state;
  const other = openTestStore(store.home).state.gates;
  gates.present("R1", "approve#1", { prompt: "Ship?" });
  expect(other.pending()).toMatchObject([{ runId: "R1", key: "approve#1", question: { prompt: "Ship?" } }]);
  expect(gates.get("R1", "approve#1")).toBeUndefined();
  expect(other.answer("R1", "approve#1", { value: "yes" })).toBe("ok");
  expect(gates.answer("R1", "approve#1", { value: "no" })).toBe("late");
  expect(gates.answer("R1", "approve#2", {})).toBe("unknown");
  expect(gates.get("R1", "approve#1")).toEqual({ answer: { value: "yes" } });
  gates.present("R1", "approve#1", { prompt: "Ship?" });
  expect(gates.get("R1", "approve#1")).toEqual({ answer: { value: "yes" } });
  expect(gates.pending()).toEqual([]);

  gates.present("R1", "approve#2", {});
  gates.withdraw("R1");
  expect(gates.pending("R1")).toEqual([]);
  expect(gates.answer("R1", "approve#2", {})).toBe("late");
  gates.present("R1", "approve#2", {});
  expect(gates.answer("R1", "approve#2", 1)).toBe("ok");
  expect(gates.answerTo("R1", "approve#2", {})).toEqual({ answer: 1 });
  expect(gates.answerTo("R1", "approve#2", { prompt: "Another?" })).toBeUndefined();
  gates.present("R1", "approve#2", { prompt: "Another?" });
  expect(gates.get("R1", "approve#2")).toBeUndefined();
  expect(gates.pending("R1")).toHaveLength(1);
});

test("there are as many slots as were asked for, and the dead hold none", async () => {
  const store = freshStore();
  const { slots } = store.state;
  const holder = start(program(`say(String(store.state.slots.acquire("tasks", 2).slot)); await told();`), store.home);
  expect(await holder.line()).toBe("1");
  const mine = slots.acquire("tasks", 2);
  expect(mine).toEqual({ scope: "tasks", slot: 2 });
  expect(slots.acquire("tasks", 2)).toBeUndefined();
  expect(slots.acquire("others", 1)).toBeDefined();
  holder.child.kill("SIGKILL");
  await holder.ended;
  expect(slots.taken("tasks")).toBe(1);
  expect(slots.acquire("tasks", 2)).toEqual({ scope: "tasks", slot: 1 });
  slots.release(mine!);
  expect(slots.taken("tasks")).toBe(1);
});

test("a slot held on another host is free after a minute of silence", () => {
  let now = 1_000_000;
  const store = freshStore({ now: () => now, host: "one" });
  const elsewhere = openTestStore(store.home, { now: () => now, host: "two" });
  store.state.slots.acquire("tasks", 1);
  now += 60_000;
  expect(elsewhere.state.slots.acquire("tasks", 1)).toBeUndefined();
  now += 1;
  expect(elsewhere.state.slots.acquire("tasks", 1)).toBeDefined();
});

test("a step that runs in another run is known, unless its process is gone", () => {
  const { running } = freshStore({ host: "vm" }).state;
  running.start("deploy", "R1", "deploy#1");
  running.start("deploy", "R1", "deploy#2");
  running.start("deploy", "R2", "deploy#1", DEAD);
  expect(running.elsewhere("deploy", "R3")).toEqual(["R1"]);
  expect(running.elsewhere("deploy", "R1")).toEqual([]);
  running.end("deploy", "R1", "deploy#1", true);
  expect(running.elsewhere("deploy", "R3")).toEqual(["R1"]);
  running.end("deploy", "R1", "deploy#2", false);
  expect(running.elsewhere("deploy", "R3")).toEqual([]);
  expect(running.lastFailed("deploy")).toBe(true);
  expect(running.lastFailed("build")).toBe(false);
});
