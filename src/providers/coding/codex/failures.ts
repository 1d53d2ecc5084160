// What Codex says when a turn fails, as what it means: worth another try, or not.
import { isMapping } from "../../../errors/mapping.ts";
import { parseJson } from "../../../json/bounded.ts";
import { classify } from "../../classify.ts";
import { failureOfStatus, ProviderFailure, usedUp } from "../../failure.ts";

/** Words without a status, and the status that they stand for. */
const STATUSES: Readonly<Record<string, number>> = {
  unauthorized: 401,
  badRequest: 400,
  modelNotFound: 404,
  rateLimitExceeded: 429,
  flexUnavailable: 429,
  serverOverloaded: 529,
  internalServerError: 500,
};

const CUT = /stream|disconnect|connect|network|time(?:d )?out|sending request|retry limit|closed|reset/i;

/** A window of the subscription, as Codex reports it: `account/rateLimits/updated`. Its reset is in seconds since 1970. */
interface Window {
  readonly usedPercent: number;
  readonly windowDurationMins: number;
  readonly resetsAt: number;
}

const isWindow = (value: unknown): value is Window => isMapping(value) && typeof value.resetsAt === "number";

const LONGEST_SESSION_MINUTES = 24 * 60;

/** The window that is used up, and lasts longest of those. */
function usageLimit(said: string, limits: unknown): ProviderFailure {
  const windows = (isMapping(limits) ? [limits.primary, limits.secondary] : []).filter(isWindow);
  const [full] = windows.filter(({ usedPercent }) => usedPercent >= 100).sort((a, b) => b.resetsAt - a.resetsAt);
  if (!full) return usedUp("quota", said, 429);
  const limit = full.windowDurationMins > LONGEST_SESSION_MINUTES ? "weekly" : "session";
  return usedUp(limit, said, 429, full.resetsAt * 1000);
}

/** `limits`: what Codex reported of the subscription last. */
export function failureOfTurn(error: unknown, limits?: unknown): ProviderFailure {
  const { message, codexErrorInfo: info } = isMapping(error) ? error : {};
  const said = typeof message === "string" && message !== "" ? message : "the turn failed";
  if (info === "usageLimitExceeded") return usageLimit(said, limits);
  if (info === "sessionBudgetExceeded") return usedUp("quota", said, 429);
  if (info === "contextWindowExceeded" || info === "cyberPolicy") return new ProviderFailure("rejected", said);
  if (typeof info === "string" && Object.hasOwn(STATUSES, info)) return failureOfStatus(STATUSES[info] ?? null, said);
  if (isMapping(info))
    for (const one of Object.values(info))
      if (isMapping(one) && "httpStatusCode" in one)
        return failureOfStatus(typeof one.httpStatusCode === "number" ? one.httpStatusCode : null, said);
  // A cut stream and a refused request (400) both come as "other", without a status: a refusal is the body that the API
  // sent, whatever type that names, and a cut is described in Codex's own words.
  const failure = classify({ responseBody: said, message: said }, 0);
  const isRefused = info === "other" && said === message && (isBody(said) || !CUT.test(said));
  if (!isRefused) return failure;
  if (failure.reason === "unavailable") return usedUp("quota", failure.message, 400);
  return failureOfStatus(400, failure.message);
}

function isBody(said: string): boolean {
  try {
    return isMapping(parseJson(said));
  } catch {
    return false;
  }
}
