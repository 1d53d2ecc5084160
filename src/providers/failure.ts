// How a call to a model can fail, before it is an envelope: is it worth another try, and when.
import type { Details } from "../errors/index.ts";

export type FailureReason =
  /** Another try may help: 408, 409, 429, 5xx, network, a cut stream, an answer that is no answer. */
  | "transient"
  /** No answer within the time for one call. */
  | "timeout"
  /** The provider is out of service for us: quota used up, or it asks to wait longer than we would. */
  | "unavailable"
  /** Refused: another try would be refused as well. */
  | "rejected";

export class ProviderFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
    readonly status: number | null = null,
    /** Seconds, as the provider asked for. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
    this.name = "ProviderFailure";
  }
}

/** The details of `provider.exhausted` and `provider.rejected`: every key always there, for templates. */
export function failureDetails(provider: string, model: string, attempts: number, failure: ProviderFailure): Details {
  return {
    provider,
    model,
    attempts,
    last_error: failure.message,
    status_code: failure.status,
    retry_after: failure.retryAfter,
  };
}
