import { expect, it } from "vitest";
import type { Firing } from "../../storage/firings.ts";
import { FiredHere, roundRobin, sideBySide } from "./trigger-rounds.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");

const firing = (runId: string, key: string, secondsAgo = 0): Firing => ({
  runId,
  trigger: key,
  status: "fired",
  isPlaced: false,
  endedAt: null,
  reason: null,
  depth: 0,
  body: {},
  firedAt: new Date(NOW - secondsAgo * 1000).toISOString(),
});

const ids = (firings: readonly Firing[]): string => firings.map(({ runId }) => runId).join(" ");

it("starts what this process fired before what others have just fired, and a key in its order", () => {
  const here = new FiredHere();
  const waiting = [firing("a1", "a"), firing("b1", "b"), firing("a2", "a"), firing("c1", "c", 60)];
  here.add("a2");
  expect(ids(here.first(waiting, NOW))).toBe("a1 a2 c1");
});

it("starts what others fired when there is nothing else", () => {
  const here = new FiredHere();
  here.add("placed already");
  expect(ids(here.first([firing("b1", "b"), firing("c1", "c")], NOW))).toBe("b1 c1");
});

it("takes one of each key before the next of any", () => {
  const waiting = ["a1", "a2", "b1", "a3", "b2"];
  expect(roundRobin(waiting, ([key = ""]) => key)).toEqual([["a1", "b1"], ["a2", "b2"], ["a3"]]);
});

it("has so many underway at a time, and waits for all of them when one fails", async () => {
  let [underway, most, ended] = [0, 0, 0];
  const work = async (n: number): Promise<void> => {
    most = Math.max(most, ++underway);
    for (let turn = 0; turn < n; turn++) await undefined;
    underway -= 1;
    if (n === 3) throw new Error("the third");
    ended += 1;
  };
  await expect(sideBySide([9, 3, 9, 1, 1, 1, 1], 3, work)).rejects.toThrow("the third");
  expect({ underway, most, ended }).toEqual({ underway: 0, most: 3, ended: 2 });
});
