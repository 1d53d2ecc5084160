// What Codex says when a turn fails, as what it means: worth another try, or not.
import { isMapping } from "../../../errors/mapping.ts";
import { parseJson } from "../../../json/bounded.ts";
import { classify } from "../../classify.ts";
import { ProviderFailure, usedUp } from "../../failure.ts";
import { failureOfStatus } from "../status.ts";

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

export function failureOfTurn(error: unknown): ProviderFailure {
  const { message, codexErrorInfo: info } = isMapping(error) ? error : {};
  const said = typeof message === "string" && message !== "" ? message : "the turn failed";
  if (info === "usageLimitExceeded" || info === "sessionBudgetExceeded") return usedUp("quota", said, 429);
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
