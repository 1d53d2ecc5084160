// Turns whatever an SDK throws or streams as an error into a `ProviderFailure`, and reads the limits that headers report.
// Looks at statuses, codes and error types, never at message texts: those are for people and change.
import { isMapping } from "../base/errors/mapping.ts";
import { retryAfterSeconds } from "../base/errors/retry-after.ts";
import { parseJson } from "../base/json/bounded.ts";
import { ProviderFailure } from "./failure.ts";
import type { RateLimit, ReportedLimit } from "./provider.ts";

/** Error types and codes that stand in a body or in the middle of a stream, where there is no status any more. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Errors of the SDK that say: the request itself is wrong. */
const OUR_FAULT = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_UnsupportedFunctionalityError",
  "AI_UnsupportedModelVersionError",
]);

const isTransient = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/** The `{type, code, message}` that both APIs put into bodies and streams, wherever it sits. */
function apiError(value: unknown): Record<string, unknown> | undefined {
  if (typeof value === "string") {
    try {
      return apiError(parseJson(value, false));
    } catch {
      return undefined;
    }
  }
  if (!isMapping(value)) return undefined;
  return isMapping(value.error) ? value.error : value;
}

const typeOf = (error: Record<string, unknown> | undefined): string | undefined =>
  [error?.code, error?.type].find((word): word is string => typeof word === "string" && word in STATUS_OF_TYPE);

/** Codes such as ECONNREFUSED, from as deep as the causes go. */
function causes(error: unknown): string {
  const words: string[] = [];
  for (let at: unknown = error, depth = 0; isMapping(at) && depth < 5; at = at.cause, depth += 1) {
    const code = typeof at.code === "string" ? at.code : undefined;
    const message = typeof at.message === "string" ? at.message : undefined;
    const word = message && code && !message.includes(code) ? `${message} (${code})` : (message ?? code);
    if (word && !words.some((said) => said.includes(word))) words.push(word);
  }
  return words.join(": ");
}

export function classify(error: unknown, now: number): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const name = isMapping(error) && typeof error.name === "string" ? error.name : "";
  if (OUR_FAULT.has(name)) return new ProviderFailure("rejected", causes(error));

  const body = apiError(isMapping(error) && "responseBody" in error ? error.responseBody : error);
  const type = typeOf(body);
  const http = isMapping(error) && typeof error.statusCode === "number" ? error.statusCode : null;
  // An error event in a stream that began with 200 is given a made-up status by the SDK; its type knows better.
  const status =
    http !== null && http !== 200 && http !== 500 ? http : type ? STATUS_OF_TYPE[type]! : http === 200 ? null : http;
  const headers = isMapping(error)
    ? (error.responseHeaders as Readonly<Record<string, string>> | undefined)
    : undefined;
  const reached = limitReached(reportedLimits(headers, now));
  const resetsAt = status === 429 ? (reached?.resetsAt ?? null) : null;
  const limit = resetsAt === null ? null : (reached?.limit ?? null);
  // Without a wish of its own the server's reset is one.
  const retryAfter =
    retryAfterSeconds(headers, now) ?? (resetsAt === null ? null : Math.max(0, Math.ceil((resetsAt - now) / 1000)));
  const said =
    body !== error && typeof body?.message === "string" && body.message !== "" ? body.message : causes(error);
  const message = said || "the answer could not be read";

  // Out of quota comes as 429, but no waiting of seconds helps.
  if (type === "insufficient_quota")
    return new ProviderFailure("unavailable", message, status, retryAfter, null, "quota", resetsAt);
  if (status === null) return new ProviderFailure("transient", message, null, retryAfter);
  const reason = isTransient(status) ? "transient" : "rejected";
  return new ProviderFailure(reason, message, status, retryAfter, null, limit, resetsAt);
}

/** The words of Anthropic (`anthropic-ratelimit-input-tokens-reset`) and OpenAI (`x-ratelimit-reset-tokens`). */
const WORDS: readonly (readonly [string, RateLimit])[] = [
  ["requests", "requests"],
  ["tokens", "input_tokens"],
  ["input-tokens", "input_tokens"],
  ["output-tokens", "output_tokens"],
];

type Headers = Readonly<Record<string, string>>;

export function reportedLimits(headers: Headers | undefined, now: number): readonly ReportedLimit[] {
  if (!headers) return [];
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
  const limits: ReportedLimit[] = [];
  for (const [word, limit] of WORDS)
    for (const name of [
      (part: string) => `anthropic-ratelimit-${word}-${part}`,
      (part: string) => `x-ratelimit-${part}-${word}`,
    ]) {
      const reported: ReportedLimit = {
        limit,
        perMinute: amount(all.get(name("limit"))),
        remaining: amount(all.get(name("remaining"))),
        resetsAt: moment(all.get(name("reset")), now),
      };
      if (reported.remaining !== null || reported.resetsAt !== null) limits.push(reported);
    }
  return [...limits, ...subscription(all, now)];
}

/** A subscription reports one window, the one that decides; only one that refuses is a limit reached. */
function subscription(all: ReadonlyMap<string, string>, now: number): readonly ReportedLimit[] {
  const resetsAt = moment(all.get("anthropic-ratelimit-unified-reset"), now);
  if (resetsAt === null || all.get("anthropic-ratelimit-unified-status") !== "rejected") return [];
  const window = all.get("anthropic-ratelimit-unified-representative-claim");
  return [{ limit: limitOfWindow(window), perMinute: null, remaining: 0, resetsAt }];
}

/** Claude's names of windows: `five_hour`, `seven_day`, `seven_day_opus`, `overage`. */
export const limitOfWindow = (window: string | undefined): RateLimit =>
  window?.startsWith("seven_day") ? "weekly" : window === "overage" ? "spend" : "session";

/** The limit that refused a call: of those that are used up, the one that lasts longest. */
function limitReached(limits: readonly ReportedLimit[]): ReportedLimit | undefined {
  const [last] = limits
    .filter(({ remaining, resetsAt }) => remaining === 0 && resetsAt !== null)
    .sort((a, b) => (b.resetsAt ?? 0) - (a.resetsAt ?? 0));
  return last;
}

function amount(said: string | undefined): number | null {
  const number = said ? Number(said) : -1;
  return Number.isFinite(number) && number >= 0 ? number : null;
}

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SPAN = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** A time (`2026-01-01T00:00:00Z`), seconds since 1970, or a span such as `1s`, `6m0s` or `250ms`. */
function moment(said: string | undefined, now: number): number | null {
  if (!said) return null;
  if (/^\d{9,}$/.test(said)) return Number(said) * 1000;
  const parts = [...said.matchAll(SPAN)];
  if (parts.length > 0 && parts.map(([part]) => part).join("") === said)
    return now + parts.reduce((sum, [, number, unit]) => sum + Number(number) * MS[unit as keyof typeof MS], 0);
  const time = Date.parse(said);
  return Number.isNaN(time) ? null : time;
}
