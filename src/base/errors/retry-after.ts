// How long a server asks us to wait, in any of the three ways they say it: `retry_after` of an envelope; and when the
// limit that it refused the call for is reset.
import type { Details } from "./envelope.ts";

/** Seconds, or null when the headers do not say. `retry-after` is seconds or a date; `retry-after-ms` is milliseconds. */
export function retryAfterSeconds(headers: Readonly<Record<string, string>> | undefined, now: number): number | null {
  if (!headers) return null;
  const header = (name: string) =>
    Object.entries(headers)
      .find(([key]) => key.toLowerCase() === name)?.[1]
      ?.trim();

  const ms = Number(header("retry-after-ms") || Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms / 1000;

  const said = header("retry-after");
  if (!said) return null;
  const seconds = Number(said);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds : null;
  const date = Date.parse(said);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

/** When the limit that an error is about is reset. */
export interface Reset {
  /** Epoch milliseconds, where the error names the moment. */
  readonly at: number | undefined;
  /** Seconds from when the error was raised. */
  readonly seconds: number;
}

/** Nothing where the error does not say. */
export function resetOf({ retry_after: seconds, resets_at: moment }: Details): Reset | undefined {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) return undefined;
  const at = typeof moment === "string" ? Date.parse(moment) : Number.NaN;
  return { at: Number.isNaN(at) ? undefined : at, seconds };
}
