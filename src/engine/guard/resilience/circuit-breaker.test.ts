import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BreakerState } from "./breaker-state.ts";
import { type BreakerAnswer, CircuitBreaker, CircuitOpenError, type Pass } from "./circuit-breaker.ts";

const SETTINGS = { failure_threshold: 3, recovery_timeout: 10, success_threshold: 2, half_open_max: 1 };

class Time {
  now = 1_000_000;
  pass(seconds: number): void {
    this.now += seconds * 1000;
  }
}

const make = (settings: Partial<typeof SETTINGS> = {}, time = new Time()) => ({
  time,
  breaker: new CircuitBreaker("api", { ...SETTINGS, ...settings }, { now: () => time.now }),
});

function passOf(asked: BreakerAnswer): Pass {
  if (!asked.admitted) throw new Error("it was refused");
  return asked.pass;
}

function opened(settings: Partial<typeof SETTINGS> = {}) {
  const made = make(settings);
  for (let n = 0; n < made.breaker.settings.failure_threshold; n++) passOf(made.breaker.ask()).failed();
  return made;
}

describe("a circuit breaker", () => {
  it("opens after so many failures in a row, and only then says so", () => {
    const { breaker } = make();
    expect([1, 2, 3].map(() => passOf(breaker.ask()).failed())).toEqual([undefined, undefined, "opened"]);
    expect(breaker.state.status).toBe("open");
  });

  it("forgets failures at a success", () => {
    const { breaker } = make();
    for (const ok of [false, false, true, false, false]) {
      const pass = passOf(breaker.ask());
      if (ok) pass.succeeded();
      else pass.failed();
    }
    expect(breaker.state).toEqual({ status: "closed", failures: 2 });
  });

  it("refuses while it is open, and says for how long", () => {
    const { breaker, time } = opened();
    time.pass(4);
    expect(breaker.ask()).toEqual({ admitted: false, openedAt: 1_000_000, retryAfterSeconds: 6 });
  });

  it("is not changed by looking at it", () => {
    const { breaker, time } = opened();
    time.pass(60);
    const before = JSON.stringify(breaker.state);
    for (let n = 0; n < 5; n++) expect(breaker.state.status).toBe("open");
    expect(JSON.stringify(breaker.state)).toBe(before);
  });

  it("lets one probe through after its recovery time, and closes after enough of them", () => {
    const { breaker, time } = opened();
    time.pass(10);
    const first = passOf(breaker.ask());
    expect(first.transition).toBe("half_opened");
    expect(breaker.ask().admitted).toBe(false);
    expect(first.succeeded()).toBeUndefined();
    expect(passOf(breaker.ask()).succeeded()).toBe("closed");
    expect(breaker.state).toEqual({ status: "closed", failures: 0 });
  });

  it("opens again when a probe fails, for its whole recovery time", () => {
    const { breaker, time } = opened();
    time.pass(10);
    expect(passOf(breaker.ask()).failed()).toBe("opened");
    time.pass(9.9);
    expect(breaker.ask().admitted).toBe(false);
    time.pass(0.1);
    expect(breaker.ask().admitted).toBe(true);
  });

  it("gives the place of a probe that told nothing to the next one", () => {
    const { breaker, time } = opened();
    time.pass(10);
    passOf(breaker.ask()).gaveUp();
    expect(breaker.ask().admitted).toBe(true);
  });

  it("does not wait for ever for a probe whose process is gone", () => {
    const { breaker, time } = opened();
    time.pass(10);
    passOf(breaker.ask());
    time.pass(10.1);
    expect(breaker.ask().admitted).toBe(true);
  });

  it("hears nothing from calls that began before it opened", () => {
    const { breaker, time } = make();
    const early = [1, 2, 3, 4, 5].map(() => passOf(breaker.ask()));
    for (const pass of early.slice(0, 3)) pass.failed();
    time.pass(10);
    const probe = passOf(breaker.ask());
    early[3]?.failed();
    early[4]?.succeeded();
    expect(breaker.state).toMatchObject({ status: "half_open", successes: 0, probes: [{}] });
    probe.succeeded();
    expect(breaker.state).toMatchObject({ status: "half_open", successes: 1, probes: [] });
  });

  it("counts each report once", () => {
    const { breaker } = make();
    const pass = passOf(breaker.ask());
    pass.failed();
    pass.failed();
    pass.succeeded();
    expect(breaker.state.failures).toBe(1);
  });

  it("is not kept open by a clock that was set back", () => {
    const { breaker, time } = opened();
    time.pass(-3600);
    expect(breaker.ask()).toMatchObject({ admitted: false, retryAfterSeconds: 10 });
    time.pass(10);
    expect(breaker.ask().admitted).toBe(true);
  });

  it("wraps a call: failures count unless they are the caller's own", async () => {
    const { breaker } = make({ failure_threshold: 1 });
    const fails = (message: string) => () => Promise.reject(new Error(message));
    await expect(breaker.run(fails("mine"), (error) => (error as Error).message !== "mine")).rejects.toThrow("mine");
    await expect(breaker.run(fails("theirs"))).rejects.toThrow("theirs");
    await expect(breaker.run(async () => 1)).rejects.toThrow(CircuitOpenError);
  });

  it("never has more probes out than it may, and never gets stuck, whatever happens", () => {
    const step = fc.oneof(
      fc.constant({ do: "ask" as const }),
      fc.record({ do: fc.constantFrom("succeed" as const, "fail" as const, "giveUp" as const), which: fc.nat(20) }),
      fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: -30, max: 30 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 3 }), (steps, most) => {
        const { breaker, time } = make({ half_open_max: most });
        const out: Pass[] = [];
        for (const one of steps) {
          if (one.do === "wait") time.pass(one.seconds);
          else if (one.do === "ask") {
            const asked = breaker.ask();
            if (asked.admitted) out.push(asked.pass);
          } else {
            const [pass] = out.splice(one.which % Math.max(1, out.length), 1);
            if (one.do === "succeed") pass?.succeeded();
            else if (one.do === "fail") pass?.failed();
            else pass?.gaveUp();
          }
          const { state } = breaker;
          if (state.status === "half_open") expect(state.probes.length).toBeLessThanOrEqual(most);
          expect(JSON.parse(JSON.stringify(state)) as BreakerState).toEqual(state);
        }
        // Once everybody has gone home and time has passed, somebody gets through.
        for (const pass of out) pass.gaveUp();
        time.pass(60);
        expect(breaker.ask().admitted).toBe(true);
      }),
    );
  });
});
