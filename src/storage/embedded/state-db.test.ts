// What runs share, also between processes.
import { describe, expect, test } from "vitest";
import { freshStore, program, start } from "../../../test/support/stores/homes.ts";
import type { NewLetter } from "../shared-state.ts";

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
  test("count every failure of four processes", async () => {
    const store = freshStore();
    const count = program(`
      for (let at = 0; at < 100; at += 1) store.state.breakers.update("api", (n) => (n ?? 0) + 1);
      store.close();
    `);
    const all = Array.from({ length: 4 }, () => start(count, store.home));
    expect(await Promise.all(all.map((one) => one.ended))).toEqual([0, 0, 0, 0]);
    expect(store.state.breakers.get("api")).toBe(400);
  });
});

describe("letters", () => {
  test("one process gets a letter, and gives it back by dying", async () => {
    const store = freshStore();
    store.state.letters.put(letter());
    const claimer = program(`
      say("ready");
      await told();
      say(store.state.letters.claim(["L1"]).join() || "none");
      await told();
    `);
    const two = [start(claimer, store.home), start(claimer, store.home)];
    for (const one of two) await one.line();
    for (const one of two) one.tell();
    const answers = await Promise.all(two.map((one) => one.line()));
    expect([...answers].sort()).toEqual(["L1", "none"]);
    const { letters } = store.state;
    expect(letters.claim(["L1"])).toEqual([]);
    expect(letters.list({ status: "open" })).toEqual([]);
    two[answers.indexOf("L1")]!.child.kill("SIGKILL");
    await two[answers.indexOf("L1")]!.ended;
    expect(letters.list({ status: "open" })).toHaveLength(1);
    expect(letters.claim(["L1"])).toEqual(["L1"]);
  });
});

test("there are as many slots as were asked for, and the dead hold none", async () => {
  const store = freshStore();
  const { slots } = store.state;
  const holder = start(program(`say(String(store.state.slots.acquire("tasks", 2).slot)); await told();`), store.home);
  expect(await holder.line()).toBe("1");
  const mine = slots.acquire("tasks", 2);
  expect(mine).toMatchObject({ scope: "tasks", slot: 2 });
  expect(slots.acquire("tasks", 2)).toBeUndefined();
  expect(slots.acquire("others", 1)).toBeDefined();
  holder.child.kill("SIGKILL");
  await holder.ended;
  expect(slots.taken("tasks")).toBe(1);
  expect(slots.acquire("tasks", 2)).toMatchObject({ scope: "tasks", slot: 1 });
  slots.release(mine!);
  expect(slots.taken("tasks")).toBe(1);
});

test("a step that ran in a process that is gone runs no more", () => {
  const { running } = freshStore({ host: "vm" }).state;
  running.begin("deploy", "R1", "deploy#1", DEAD);
  expect(running.begin("deploy", "R2", "deploy#1").runningIn).toEqual([]);
  expect(running.begin("deploy", "R3", "deploy#1").runningIn).toEqual(["R2"]);
});
