// What an error says about the health of what was called, and the error of a breaker that refused.
import { matches, type Raised, raised } from "../../../errors/index.ts";

/** Kinds that are failures of health; the caller's own mistakes say nothing about the other side. */
const HEALTH: readonly string[] = [
  "provider.exhausted",
  "http.unavailable",
  "http.network",
  "internal.timeout",
  "mcp.protocol_error",
];

/**
 * What a call's errors say of the other side: whatever it answered, it answered; only what went wrong on this side of the
 * call says nothing.
 */
export function healthOf(errors: readonly Raised[], counts: readonly string[] = HEALTH): "well" | "ill" | "unknown" {
  if (errors.length === 0) return "well";
  if (errors.some(({ kind }) => matches(counts, kind))) return "ill";
  return errors.some(({ kind }) => kind.startsWith("internal.") || kind === "circuit.open") ? "unknown" : "well";
}

/** The error of a call that the breaker did not let through. `openedAt`: epoch milliseconds, where it is known. */
export function circuitOpen(breaker: string, seconds: number, openedAt?: number): Raised {
  const after = Math.ceil(seconds * 1000) / 1000;
  return raised("circuit.open", openText(breaker, after), {
    breaker,
    ...(openedAt === undefined ? {} : { opened_at: new Date(openedAt).toISOString() }),
    retry_after: after,
    retry_after_seconds: after,
  });
}

export const openText = (breaker: string, seconds: number): string =>
  `the circuit ${breaker} is open; it lets calls through again in ${seconds < 1 ? seconds.toFixed(2) : Math.ceil(seconds)} s`;
