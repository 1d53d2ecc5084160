// How long a server asks us to wait, in any of the three ways they say it: `retry_after` of an envelope.

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
