// What a status of the model's API means for an agent's work: worth another try, or not.
import { ProviderFailure } from "../failure.ts";

/** Null: there was no answer at all, as when the connection is cut or refused. */
export function failureOfStatus(status: number | null, message: string): ProviderFailure {
  if (status === 402) return new ProviderFailure("unavailable", message, status);
  const isRefused = status !== null && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  return new ProviderFailure(isRefused ? "rejected" : "transient", message, status);
}
