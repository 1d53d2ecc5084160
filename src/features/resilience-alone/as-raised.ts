// Turns anything that was thrown into an error with a kind: the kind that its author gave, else one that fits.

import { type Raised, raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import { CircuitOpenError, circuitOpen } from "../../engine/guard/resilience/index.ts";

const NETWORK: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/**
 * An error with a `kind` keeps it; statuses of HTTP, errors of the network and timeouts are known; the rest is a defect.
 *
 * @example
 * const { kind } = asRaised(Object.assign(new Error("busy"), { statusCode: 503 })); // "http.unavailable"
 */
export function asRaised(problem: unknown): Raised {
  if (problem instanceof CircuitOpenError)
    return circuitOpen(problem.breaker, problem.retryAfterSeconds, problem.openedAt);
  const message = problem instanceof Error ? problem.message : String(isMapping(problem) ? problem.message : problem);
  const { kind, details, status, statusCode, retryAfter, code, cause, name } = (problem ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof kind === "string") return raised(kind, message, isMapping(details) ? details : {});
  const answered = typeof statusCode === "number" ? statusCode : status;
  if (typeof answered === "number") {
    const more = { status_code: answered, ...(typeof retryAfter === "number" ? { retry_after: retryAfter } : {}) };
    return raised(answered === 429 || answered >= 500 ? "http.unavailable" : "http.status", message, more);
  }
  const reason = code ?? (cause as { readonly code?: unknown } | undefined)?.code;
  if (name === "TimeoutError") return raised("internal.timeout", message, {});
  if (typeof reason === "string" && NETWORK.has(reason)) return raised("http.network", message, { code: reason });
  return raised("internal.step_error", message, {});
}
