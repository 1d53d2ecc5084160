// Rate limits as servers report them: in the headers of an answer, and in the messages of coding agents.

/** What there is a limit on. `session` and `weekly` are windows of a subscription. */
export type RateLimit = "requests" | "input_tokens" | "output_tokens" | "session" | "weekly" | "spend";

/** One limit as a server reports it. */
export interface ReportedLimit {
  readonly limit: RateLimit;
  /** How much is allowed in a minute, where the server says so. */
  readonly perMinute: number | null;
  readonly remaining: number | null;
  /** Epoch milliseconds. */
  readonly resetsAt: number | null;
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
export function limitReached(limits: readonly ReportedLimit[]): ReportedLimit | undefined {
  const [last] = limits
    .filter(({ remaining, resetsAt }) => remaining === 0 && resetsAt !== null)
    .sort((a, b) => (b.resetsAt ?? 0) - (a.resetsAt ?? 0));
  return last;
}

function amount(said: string | undefined): number | null {
  const number = Number(said || Number.NaN);
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
