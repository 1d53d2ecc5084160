// Waits on a clock that the test moves.
import { describe, expect, it } from "vitest";
import { realClock, testAttempt, testScope } from "../../../test/support/engine/attempt.ts";
import { BadValue } from "../step-type.ts";
import { wait } from "./run.ts";
import type { WaitStep } from "./schema.ts";

const step = (duration: number | string, reason?: string): WaitStep => ({
  type: "wait",
  name: "w",
  input: [],
  routes: [],
  raise_when: [],
  duration,
  reason,
});
const secondsOf = (duration: number | string): number =>
  wait.prepare(step(duration), testScope({ ms: 300, n: 5 })).seconds;

describe("a duration", () => {
  it.each([
    [0.3, 0.3],
    ["500ms", 0.5],
    ["5s", 5],
    ["2m", 120],
    ["1h", 3600],
    ["1.5", 1.5],
    ["24h", 86_400],
    ["{{ ms }}ms", 0.3],
    ["{{ n }}", 5],
    [" 2 m ", 120],
  ])("%j is %d seconds", (written, seconds) => {
    expect(secondsOf(written)).toBeCloseTo(seconds, 9);
  });

  it.each([0, -1, "0s", "-5s", "25h", 86_401, "soon", "", "5 parsecs", "{{ none }}", Number.NaN])(
    "%j is refused",
    (written) => {
      expect(() => secondsOf(written)).toThrow(BadValue);
      expect(() => secondsOf(written)).toThrow(/^duration is .*, but a duration is /);
    },
  );
});

describe("a wait", () => {
  it("that an earlier drive began goes on with what is left, and tells so", async () => {
    const slept: number[] = [];
    const clock = { ...realClock, now: () => 50_000, sleep: async (ms: number) => void slept.push(ms) };
    const attempt = testAttempt({ clock });
    const prepared = wait.prepare(step("2m"), testScope({}));
    const outcome = await wait.execute(prepared, { ...attempt, waitingSince: 20_000 });
    expect(slept).toEqual([90_000]);
    expect(attempt.emitted("wait_started")).toMatchObject([{ duration_seconds: 120, remaining_seconds: 90 }]);
    // Its timer was early.
    expect(outcome).toEqual({ ok: true, output: { waited_seconds: 120 } });
  });

  it("that an earlier drive began, and that nobody took up when it was over, was as long as it was", async () => {
    const attempt = testAttempt({ clock: { ...realClock, now: () => 500_000, sleep: async () => {} } });
    const prepared = wait.prepare(step("2m"), testScope({}));
    const outcome = await wait.execute(prepared, { ...attempt, waitingSince: 20_000 });
    expect(outcome).toEqual({ ok: true, output: { waited_seconds: 480 } });
  });

  it("sleeps on the attempt's clock and tells how long", async () => {
    let now = 1000;
    const slept: number[] = [];
    const clock = {
      ...realClock,
      now: () => now,
      sleep: async (ms: number) => {
        slept.push(ms);
        now += ms;
      },
    };
    const attempt = testAttempt({ clock });
    const prepared = wait.prepare(step("2m", "for {{ n }}"), testScope({ n: 5 }));
    expect(await wait.execute(prepared, attempt)).toEqual({ ok: true, output: { waited_seconds: 120 } });
    expect(slept).toEqual([120_000]);
    expect(attempt.emitted("wait_started")).toMatchObject([
      { agent_name: "probe", duration_seconds: 120, reason: "for 5" },
    ]);
    expect(attempt.emitted("wait_completed")).toEqual([
      { agent_name: "probe", waited_seconds: 120, requested_seconds: 120 },
    ]);
  });

  it("ends when the attempt does", async () => {
    const abort = new AbortController();
    const waiting = wait.execute({ seconds: 600 }, testAttempt({ signal: abort.signal }));
    abort.abort();
    expect(await waiting).toMatchObject({ ok: false });
  });
});
