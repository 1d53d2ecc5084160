// A call to a model that waits for its turn first, where there are limits of one's own on it, and reports what it used.
import type { Caller } from "../steps/caller.ts";
import { ProviderFailure, usedUp } from "./failure.ts";
import type { RateLimit, ReportedLimit } from "./rate-limits.ts";
import type { Served } from "./registry.ts";

/** What a call reports of itself when it has ended. */
export interface CallUse {
  readonly inputTokens: number;
  readonly limits?: readonly ReportedLimit[];
}

export async function withTurn<Value>(
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
