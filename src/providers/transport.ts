// A call to a model that waits for its turn, and is retried after a delay. Retries are Segno's own, not the SDK's: so they
// are counted, shown, waited for on the run's clock, and stop at a cancel.

import { type Jitter, jittered } from "../base/errors/jitter.ts";
import type { Caller } from "../steps/caller.ts";
import { ProviderFailure, usedUp } from "./failure.ts";
import type { RateLimit, ReportedLimit } from "./provider.ts";
import type { Served } from "./registry.ts";

export interface TransportPolicy {
  /** Calls in all, the first included. */
  readonly attempts: number;
  readonly baseSeconds: number;
  readonly growth: "exponential" | "linear" | "fixed";
  readonly capSeconds: number;
  readonly jitter: Jitter;
  readonly retryTimeouts: boolean;
  readonly retryErrors: boolean;
}

export const DEFAULT_POLICY: TransportPolicy = {
  attempts: 4,
  baseSeconds: 1,
  growth: "exponential",
  capSeconds: 30,
  jitter: 0.25,
  retryTimeouts: true,
  retryErrors: true,
};

/** Who asks for a longer wait than this is out of service for now: routes and fallbacks can do better than to sit here. */
const LONGEST_WAIT_SECONDS = 120;

const numberOr = (value: unknown, fallback: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : fallback;

export function policyOf(retry: unknown): TransportPolicy {
  if (typeof retry !== "object" || retry === null) return DEFAULT_POLICY;
  const said = retry as Readonly<Record<string, unknown>>;
  const on = [said.on, said.retry_on].find(Array.isArray) ?? ["provider_error", "timeout"];
  const { backoff, jitter } = said;
  const baseSeconds = numberOr(said.initial_seconds, numberOr(said.delay_seconds, 2));
  return {
    // A `retry:` without a number of retries is there for its other keys.
    attempts:
      typeof said.max === "number" ? said.max + 1 : Math.max(1, numberOr(said.max_attempts, DEFAULT_POLICY.attempts)),
    baseSeconds,
    growth: backoff === "linear" ? "linear" : backoff === "fixed" || backoff === "none" ? "fixed" : "exponential",
    capSeconds: numberOr(said.max_seconds, Math.max(DEFAULT_POLICY.capSeconds, baseSeconds)),
    jitter: jitter === "full" ? jitter : numberOr(jitter, 0.25),
    retryTimeouts: on.includes("timeout"),
    retryErrors: on.includes("provider_error"),
  };
}

export function waitSeconds(
  policy: TransportPolicy,
  attempt: number,
  failure: ProviderFailure,
  random: () => number,
): number {
  const { baseSeconds, growth, capSeconds, jitter } = policy;
  const factor = growth === "exponential" ? 2 ** (attempt - 1) : growth === "linear" ? attempt : 1;
  const backoff = Math.min(capSeconds, baseSeconds * factor);
  // What the provider asks for is a floor, not a suggestion; the jitter spreads callers that got the same answer.
  const asked = failure.retryAfter ?? 0;
  if (asked > backoff) return asked * (1 + (jitter === "full" ? 1 : jitter) * random());
  return Math.max(asked, jittered(backoff, jitter, random(), capSeconds));
}

function mayRetry(policy: TransportPolicy, failure: ProviderFailure): boolean {
  if ((failure.retryAfter ?? 0) > LONGEST_WAIT_SECONDS) return false;
  return failure.reason === "timeout" ? policy.retryTimeouts : failure.reason === "transient" && policy.retryErrors;
}

export type CallResult<Value> =
  | { readonly ok: true; readonly value: Value; readonly attempts: number }
  | { readonly ok: false; readonly failure: ProviderFailure; readonly attempts: number }
  | { readonly ok: false; readonly failure: null; readonly attempts: number };

interface RetriedCall<Value> {
  readonly policy: TransportPolicy;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly call: () => Promise<Value>;
  readonly onRetry: (failure: ProviderFailure, attempt: number, delaySeconds: number) => void;
}

/** The calls of one attempt: each waits for its turn, and each retry is reported. `useOf` is asked after every call. */
export async function tryTurns<Value>(
  { attempt, policy, random }: { readonly attempt: Caller; readonly policy: TransportPolicy; random(): number },
  target: Served,
  call: (isAgain: boolean) => Promise<Value>,
  useOf: (value: Value | undefined) => CallUse,
): Promise<CallResult<Value>> {
  let isAgain = false;
  return await tryCall({
    policy,
    random,
    signal: attempt.signal,
    sleep: (ms, signal) => attempt.clock.sleep(ms, signal),
    onRetry: ({ message, status, reason }, number, delay) => {
      isAgain = true;
      const error_type = status === null ? reason : String(status);
      const max_attempts = policy.attempts;
      attempt.emit("agent_retry", {
        agent_name: attempt.node,
        attempt: number,
        max_attempts,
        error: message,
        error_type,
        delay,
      });
    },
    call: () => withTurn(attempt, target, () => call(isAgain), useOf),
  });
}

/** Calls until it works, may not be tried again, or was aborted (`failure: null`). */
export async function tryCall<Value>(trying: RetriedCall<Value>): Promise<CallResult<Value>> {
  const { policy, signal } = trying;
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted) return { ok: false, failure: null, attempts: attempt - 1 };
    try {
      return { ok: true, value: await trying.call(), attempts: attempt };
    } catch (error) {
      // The SDK throws the signal's own reason; whatever it throws after an abort is not the provider's failure.
      if (signal.aborted) return { ok: false, failure: null, attempts: attempt };
      if (!(error instanceof ProviderFailure)) throw error;
      if (attempt >= policy.attempts || !mayRetry(policy, error))
        return { ok: false, failure: error, attempts: attempt };
      const delay = waitSeconds(policy, attempt, error, trying.random);
      trying.onRetry(error, attempt, delay);
      await trying.sleep(delay * 1000, signal);
    }
  }
}

interface CallUse {
  readonly inputTokens: number;
  readonly limits?: readonly ReportedLimit[];
}

async function withTurn<Value>(
  attempt: Caller,
  target: Served,
  call: () => Promise<Value>,
  useOf: (value: Value | undefined) => CallUse,
): Promise<Value> {
  if (!attempt.turns) return call();
  const turn = await attempt.turns.take(target, attempt);
  attempt.signal.throwIfAborted();
  const { closed } = turn;
  if (closed)
    throw usedUp(
      closed.by as RateLimit,
      `it refused another call under ${closed.limit} for its limit on ${closed.by}, which resets at ${new Date(closed.until).toISOString()}`,
      null,
      closed.until,
    );
  try {
    const value = await call();
    const { inputTokens, limits = [] } = useOf(value);
    await turn.end({ inputTokens, limits });
    return value;
  } catch (error) {
    const { inputTokens } = useOf(undefined);
    await turn.end({ inputTokens: inputTokens + usedBy(error), limits: limitsOf(error) });
    throw error;
  }
}

const usedBy = (error: unknown): number => (error instanceof ProviderFailure ? (error.used?.tokens.input ?? 0) : 0);

/** Only a limit that is used up: whatever else went wrong says nothing about one. */
const limitsOf = (error: unknown): readonly ReportedLimit[] =>
  error instanceof ProviderFailure && error.resetsAt !== null && error.limit !== null
    ? [{ limit: error.limit as RateLimit, perMinute: null, remaining: 0, resetsAt: error.resetsAt }]
    : [];
