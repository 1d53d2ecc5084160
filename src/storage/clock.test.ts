// Waits and deadlines of more than 24 days, which a plain timer of Node's cannot hold.
import { beforeEach, expect, test, vi } from "vitest";
import { realClock } from "./clock.ts";

const DAY = 24 * 3600 * 1000;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test("a wait of sixty days ends after sixty days, not at once and not after twenty-four", async () => {
  let isOver = false;
  void realClock.sleep(60 * DAY).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(60 * DAY - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

test("a deadline in sixty days comes then, and can be called off after forty", async () => {
  const come: string[] = [];
  realClock.after(60 * DAY, () => come.push("kept"));
  const callOff = realClock.after(60 * DAY, () => come.push("called off"));
  await vi.advanceTimersByTimeAsync(40 * DAY);
  expect(come).toEqual([]);
  callOff();
  await vi.advanceTimersByTimeAsync(20 * DAY);
  expect(come).toEqual(["kept"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a long wait ends at once when it is aborted, and leaves no timer", async () => {
  const stop = new AbortController();
  const waiting = realClock.sleep(60 * DAY, stop.signal);
  await vi.advanceTimersByTimeAsync(30 * DAY);
  stop.abort();
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});
