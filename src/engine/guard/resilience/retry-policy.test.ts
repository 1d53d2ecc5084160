import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KINDS } from "../../../base/errors/index.ts";
import { RETRY_DEFAULTS, RetryPolicy, type RetrySettings } from "./retry-policy.ts";

const policy = (settings: Partial<RetrySettings>, dice = 0): RetryPolicy => new RetryPolicy(settings, () => dice);

describe("the wait before a retry", () => {
  it.each([
    { settings: {}, attempt: 0, seconds: 1 },
    { settings: {}, attempt: 3, seconds: 8 },
    { settings: { initial_delay: 0.5, backoff_multiplier: 3 }, attempt: 2, seconds: 4.5 },
    { settings: { max_delay: 5 }, attempt: 10, seconds: 5 },
    { settings: { backoff_multiplier: 1 }, attempt: 9, seconds: 1 },
    { settings: { initial_delay: 0 }, attempt: 5000, seconds: 0 },
    { settings: {}, attempt: 5000, seconds: 60 },
  ])("is $seconds s after attempt $attempt with $settings", ({ settings, attempt, seconds }) => {
    expect(policy(settings).delay(attempt)).toBe(seconds);
  });

  it("is never above the cap, jitter included, and capped waits still spread", () => {
    expect(policy({ max_delay: 4, jitter: 0.5 }, 0.5).delay(9)).toBe(3);
    expect(policy({ max_delay: 4, jitter: 0.5 }, 0.5).delay(1)).toBe(2.5);
    expect(policy({ max_delay: 4, jitter: "full" }, 0.25).delay(9)).toBe(1);
  });

  it.each([
    { retryAfter: 5, seconds: 5 },
    { retryAfter: 0.1, seconds: 1 },
    { retryAfter: 9999, seconds: 60 },
    { retryAfter: "5", seconds: 1 },
    { retryAfter: Number.NaN, seconds: 1 },
    { retryAfter: -3, seconds: 1 },
    { retryAfter: null, seconds: 1 },
  ])("is lengthened by a retry_after of $retryAfter to $seconds s", ({ retryAfter, seconds }) => {
    expect(policy({}).delay(0, { retryAfter })).toBe(seconds);
  });

  it("never falls below what the other side asked for, whatever the dice", () => {
    fc.assert(
      fc.property(settingsAnd(), ([settings, attempt, dice, asked]) => {
        const seconds = policy(settings, dice).delay(attempt, { retryAfter: asked });
        expect(seconds).toBeGreaterThanOrEqual(Math.min(asked, settings.max_delay));
        expect(seconds).toBeLessThanOrEqual(settings.max_delay + 1e-9);
      }),
    );
  });
});

const settingsAnd = () =>
  fc.tuple(
    fc.record({
      max_retries: fc.nat(9),
      initial_delay: fc.double({ min: 0, max: 100, noNaN: true }),
      backoff_multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
      max_delay: fc.double({ min: 0, max: 1000, noNaN: true }),
      jitter: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant("full" as const)),
    }),
    fc.nat(2000),
    fc.double({ min: 0, max: 0.999, noNaN: true }),
    fc.double({ min: 0, max: 5000, noNaN: true }),
  );

describe("what may be tried again", () => {
  it("is by default what the registry calls retryable, and nothing of an author's", () => {
    for (const [kind, { retryable }] of KINDS) expect([kind, policy({}).isRetryable(kind)]).toEqual([kind, retryable]);
    expect(policy({}).isRetryable("external.git.drift")).toBe(false);
  });

  it("is what the list says, when there is one", () => {
    const listed = policy({ retryable: ["transient.*", "http.status"] });
    expect(["transient.blip", "http.status", "http.unavailable"].map((kind) => listed.isRetryable(kind))).toEqual([
      true,
      true,
      false,
    ]);
    expect(policy({ retryable: [] }).isRetryable("http.unavailable")).toBe(false);
  });

  it.each([
    ["POST", false],
    ["PATCH", false],
    ["GET", true],
    ["PUT", true],
    ["DELETE", true],
  ])("is not a request that the server may have taken and fell silent about: %s", (method, may) => {
    for (const one of [policy({}), policy({ retryable: ["http.network"] }), policy({ retryable: ["http.*"] })]) {
      expect(one.isRetryable("http.network", { code: "IDLE_TIMEOUT", method })).toBe(may);
      expect(one.isRetryable("http.network", { code: "ECONNREFUSED", method })).toBe(true);
    }
  });

  it("has the defaults that the reference shows", () => {
    expect(RETRY_DEFAULTS).toEqual({
      max_retries: 3,
      initial_delay: 1,
      backoff_multiplier: 2,
      max_delay: 60,
      jitter: 0.1,
    });
  });
});
