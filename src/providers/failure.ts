// How a call to a model can fail, before it is an envelope: is it worth another try, and when.
import { type Raised, raised } from "../base/errors/index.ts";
import type { RateLimit, TokenCounts } from "./provider.ts";

export type FailureReason =
  /** Another try may help: 408, 409, 429, 5xx, network, a cut stream, an answer that is no answer. */
  | "transient"
  | "timeout"
  /** The provider is out of service for us: quota used up, or it asks to wait longer than we would. */
  | "unavailable"
  /** Nothing was sent: no key, not installed, not a provider that Segno has. */
  | "unready"
  /** Refused: another try would be refused as well. */
  | "rejected";

/** Limits of the workflow itself; `quota`: the provider has no more for us, and does not say of what. */
export type UsedUpLimit = OwnLimit | "quota" | RateLimit;
type OwnLimit = "max_agent_iterations" | "max_session_seconds";

/** What else there is to do. The message is kept with the run and read by people and programs alike: it names no flag. */
export const ANOTHER_PROVIDER = "or choose another provider: by runtime.provider in the file, or by SEGNO_PROVIDER";

export class ProviderFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
    readonly status: number | null = null,
    /** Seconds, as the provider asked for. */
    readonly retryAfter: number | null = null,
    /** What the failed call used all the same: a refusal is paid for. */
    readonly used: { readonly tokens: TokenCounts; readonly model?: string } | null = null,
    /** What there is no more of: no provider's health is at fault then. */
    readonly limit: UsedUpLimit | null = null,
    /** When there is more of it, in epoch milliseconds. */
    readonly resetsAt: number | null = null,
  ) {
    super(message);
    this.name = "ProviderFailure";
  }
}

export const usedUp = (
  limit: UsedUpLimit,
  message: string,
  status: number | null = null,
  resetsAt: number | null = null,
): ProviderFailure => new ProviderFailure("unavailable", message, status, null, null, limit, resetsAt);

/** The failure as a step's error at that time, in epoch milliseconds. Its details have every key always, for templates. */
export function asRaised(
  { provider, model }: { readonly provider: string; readonly model: string },
  attempts: number,
  failure: ProviderFailure,
  now: number,
): Raised {
  const { reason, message, status, limit } = failure;
  const resetsAt = failure.resetsAt ?? (failure.retryAfter === null ? null : now + failure.retryAfter * 1000);
  const untilReset = resetsAt === null ? null : Math.max(0, Math.ceil((resetsAt - now) / 1000));
  const details = {
    provider,
    model,
    attempts: reason === "unready" ? 0 : attempts,
    last_error: message,
    status_code: status,
    retry_after: failure.retryAfter ?? untilReset,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    limit,
  };
  const who = model ? `${provider} (${model})` : provider;
  const code = status === null ? "" : ` with ${status}`;
  if (reason === "unready") return raised("provider.rejected", `${who} cannot be called: ${message}.`, details);
  if (reason === "rejected") return raised("provider.rejected", `${who} refused the call${code}: ${message}`, details);
  // Calls of an agent's model are not tries of ours: their number would say nothing.
  if (limit === "max_agent_iterations" || limit === "max_session_seconds")
    return raised("provider.exhausted", `${who} was ended without an answer: ${message}`, details);
  // Refused here, because another call was: see `withTurn`.
  if (failure.resetsAt !== null && status === null)
    return raised("provider.exhausted", `${who} was not called: ${message}`, { ...details, attempts: 0 });
  const times = attempts === 1 ? "1 call" : `${attempts} calls`;
  return raised("provider.exhausted", `${who} gave no answer in ${times}; the last failed${code}: ${message}`, details);
}

/** How providers say that no waiting helps, under statuses that otherwise ask to wait or to mend the request. */
const OUT_OF_QUOTA =
  /insufficient_quota|credit balance is too low|exceeded your current quota|reached your specified (?:API )?usage limits?/i;
const isOutOfQuota = (status: number | null, message: string): boolean =>
  status === 402 || ((status === 400 || status === 429) && OUT_OF_QUOTA.test(message));

/** Null: there was no answer at all, as when the connection is cut or refused. */
export function failureOfStatus(status: number | null, message: string): ProviderFailure {
  if (isOutOfQuota(status, message)) return usedUp("quota", message, status);
  const isRefused = status !== null && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  return new ProviderFailure(isRefused ? "rejected" : "transient", message, status);
}
