import { expect, it } from "vitest";
import { until } from "../../../../../test/support/until.ts";
import { Grace } from "./worker.ts";

const SILENCE_MS = 100;

/** With a beat that gets through, at once. */
const isOver = (grace: Grace, ageMs: number): boolean => {
  grace.beaten(performance.now(), { started: "then", ageMs });
  return grace.isOver;
};

it("lasts for a while after the server has started", async () => {
  const grace = new Grace(SILENCE_MS);
  expect(isOver(grace, 0)).toBe(false);
  await until(() => isOver(grace, 1000));
});

it("is over in time on a server whose clock was set back to before its start", async () => {
  const grace = new Grace(SILENCE_MS);
  await until(() => isOver(grace, -3_600_000));
});
