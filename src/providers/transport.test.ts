import { expect, test } from "vitest";
import { agentStep } from "../steps/agent/schema.ts";
import { ProviderFailure } from "./failure.ts";
import { DEFAULT_POLICY, policyOf, tryCall, waitSeconds } from "./transport.ts";

const failure = new ProviderFailure("transient", "no");

test("waits 1, 2, 4 … seconds, 30 at most", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => waitSeconds(DEFAULT_POLICY, attempt, failure, () => 0));
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
});

test("spreads waits by up to a quarter, never below what was asked for", () => {
  expect(waitSeconds(DEFAULT_POLICY, 1, failure, () => 1)).toBe(1.25);
  const asked = new ProviderFailure("transient", "no", 429, 60);
  expect(waitSeconds(DEFAULT_POLICY, 1, asked, () => 0)).toBe(60);
  expect(waitSeconds(DEFAULT_POLICY, 1, asked, () => 1)).toBe(75);
});

test("takes a step's retry, with what it does not say by default", () => {
  expect(policyOf(undefined)).toBe(DEFAULT_POLICY);
  expect(policyOf({ max_attempts: 5 })).toMatchObject({
    attempts: 5,
    baseSeconds: 2,
    growth: "exponential",
    retryTimeouts: true,
    retryErrors: true,
  });
  expect(policyOf({ max_attempts: 2, backoff: "fixed", delay_seconds: 90, retry_on: ["timeout"] })).toMatchObject({
    attempts: 2,
    growth: "fixed",
    capSeconds: 90,
    retryTimeouts: true,
    retryErrors: false,
  });
});

test("takes the shape that retries have everywhere, which counts retries", () => {
  expect(
    policyOf({ max: 0, initial_seconds: 1, max_seconds: 9, backoff: "linear", jitter: "full", on: ["timeout"] }),
  ).toEqual({
    attempts: 1,
    baseSeconds: 1,
    growth: "linear",
    capSeconds: 9,
    jitter: "full",
    retryTimeouts: true,
    retryErrors: false,
  });
});

const trying = (call: () => Promise<string>, signal = new AbortController().signal, retry?: unknown) => {
  const waits: number[] = [];
  const result = tryCall({
    policy: policyOf(retry),
    signal,
    random: () => 0,
    sleep: async (ms) => void waits.push(ms),
    call,
    onRetry: () => {},
  });
  return { result, waits };
};

test("does not try again what the step does not want to be tried again", async () => {
  const slow = () => Promise.reject(new ProviderFailure("timeout", "slow"));
  const { result } = trying(slow, undefined, { max_attempts: 5, retry_on: ["provider_error"] });
  expect(await result).toMatchObject({ ok: false, attempts: 1 });
});

test("lets a defect through", async () => {
  await expect(trying(() => Promise.reject(new TypeError("bug"))).result).rejects.toThrow("bug");
});

test("is not the provider's failure when the step was aborted", async () => {
  const controller = new AbortController();
  const call = () => {
    controller.abort(new Error("cancelled"));
    return Promise.reject(controller.signal.reason);
  };
  expect(await trying(call, controller.signal).result).toEqual({ ok: false, failure: null, attempts: 1 });
});

test("a retry that names no max_attempts leaves their number alone, from the file on", () => {
  const { retry } = agentStep().parse({ name: "a", prompt: "hi", retry: { max_parse_recovery_attempts: 4 } });
  expect(policyOf(retry).attempts).toBe(DEFAULT_POLICY.attempts);
});
