import { expect, it } from "vitest";
import { AskingTime } from "./asking-time.ts";

function clock() {
  let now = 1_000;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  return {
    now: () => now,
    after(ms: number, call: () => void) {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass(ms: number) {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers = timers.filter((other) => other !== timer);
        timer.call();
      }
    },
  };
}

it("does not count", () => {
  const time = clock();
  const asking = new AskingTime(time);
  const calls: number[] = [];
  asking.afterBeside(100, () => calls.push(time.now()));
  time.pass(60);
  const first = asking.begin();
  time.pass(500);
  const second = asking.begin();
  first();
  time.pass(500);
  expect(calls).toEqual([]);
  second();
  time.pass(39);
  expect(calls).toEqual([]);
  time.pass(1);
  expect(calls).toEqual([2_100]);
});

it("of a limit that began while somebody was asked does not count either, and one that is called off never comes", () => {
  const time = clock();
  const asking = new AskingTime(time);
  const calls: string[] = [];
  const answered = asking.begin();
  asking.afterBeside(100, () => calls.push("kept"));
  const callOff = asking.afterBeside(100, () => calls.push("called off"));
  time.pass(1_000);
  callOff();
  answered();
  time.pass(99);
  expect(calls).toEqual([]);
  time.pass(1);
  expect(calls).toEqual(["kept"]);
});
