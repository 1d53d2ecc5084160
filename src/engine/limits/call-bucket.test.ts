import { describe, expect, it } from "vitest";
import { askForTurn, type BucketState, type CallLimit, endCall, leftNow, newBucket, takeTurn } from "./call-bucket.ts";

const LIMIT: CallLimit = { provider: "anthropic", model: "*", requests_per_minute: 60, input_tokens_per_minute: 6000 };
const NOW = 1_000_000;

/** Asks, and takes the turn where it is there. */
function ask(state: BucketState | undefined, run: string, id = run, now = NOW, limit = LIMIT) {
  const asked = askForTurn(state, limit, { id, run }, now);
  return asked.verdict.type === "go" ? { ...asked, state: takeTurn(asked.state, { id, run }, now) } : asked;
}

describe("a limit on calls", () => {
  it("lets a minute's worth begin at once, then one for each that comes back", () => {
    let state: BucketState | undefined;
    for (let n = 0; n < 60; n += 1) {
      const asked = ask(state, `R${n}`);
      expect(asked.verdict).toEqual({ type: "go" });
      state = asked.state;
    }
    expect(ask(state, "late").verdict).toEqual({ type: "wait", until: NOW + 1000, ahead: 0 });
    expect(ask(state, "late", "late", NOW + 1000).verdict).toEqual({ type: "go" });
  });

  it("gives turns to runs in turn, however many calls one of them has waiting", () => {
    let state: BucketState = { ...newBucket(LIMIT), closed: { until: NOW + 1000, by: "requests" } };
    for (let n = 0; n < 5; n += 1) state = askForTurn(state, LIMIT, { id: `A${n}`, run: "A" }, NOW + n).state;
    state = askForTurn(state, LIMIT, { id: "B0", run: "B" }, NOW + 10).state;
    const order: string[] = [];
    for (let now = NOW + 2000; order.length < 6; now += 1)
      for (const { id, run } of state.waiting) {
        const asked = ask(state, run, id, now);
        state = asked.state;
        if (asked.verdict.type === "go") order.push(id);
      }
    expect(order).toEqual(["A0", "B0", "A1", "A2", "A3", "A4"]);
  });

  it("forgets who has not asked for a minute", () => {
    const gone = ask({ ...newBucket(LIMIT), closed: { until: NOW + 1000, by: "requests" } }, "gone").state;
    expect(ask(gone, "here", "here", NOW + 30_000).verdict).toMatchObject({ type: "wait", ahead: 1 });
    expect(ask(gone, "here", "here", NOW + 61_000).verdict).toEqual({ type: "go" });
  });

  it("counts tokens when a call has ended, and waits until they have come back", () => {
    const used = endCall(ask(undefined, "R").state, { inputTokens: 9000, limits: [] }, NOW);
    expect(leftNow(used, "input_tokens", NOW)).toBe(-3000);
    expect(ask(used, "R").verdict).toEqual({ type: "wait", until: NOW + 30_010, ahead: 0 });
  });

  it.each([
    ["to what is left there", { perMinute: null, remaining: 2, resetsAt: null }, 2],
    ["to what a minute allows there", { perMinute: 10, remaining: null, resetsAt: null }, 10],
    ["never above its own", { perMinute: 1000, remaining: 900, resetsAt: null }, 60],
  ])("is tightened by what a server reports: %s", (_, reported, left) => {
    const state = endCall(newBucket(LIMIT), { inputTokens: 0, limits: [{ limit: "requests", ...reported }] }, NOW);
    expect(leftNow(state, "requests", NOW)).toBe(left);
  });

  it("is closed until the reset that a server named", () => {
    const limits = [{ limit: "weekly", perMinute: null, remaining: 0, resetsAt: NOW + 5000 }];
    const state = endCall(newBucket(LIMIT), { inputTokens: 0, limits }, NOW);
    expect(ask(state, "R").verdict).toEqual({ type: "wait", until: NOW + 5000, ahead: 0 });
    expect(ask(state, "R", "R", NOW + 5000).state.closed).toBeNull();
  });
});
