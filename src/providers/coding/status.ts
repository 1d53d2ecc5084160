// What a status of the model's API means for an agent's work: worth another try, or not.
import { ProviderFailure, usedUp } from "../failure.ts";

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
