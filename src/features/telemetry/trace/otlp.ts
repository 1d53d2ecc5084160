// The OpenTelemetry protocol, as much of it as is needed: spans as JSON over HTTP.
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import { createRedactor, placeOfAddress, secretsFromAddress } from "../../../base/redact/index.ts";
import type { Span, Trace, Value } from "./span.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where the environment says that traces or metrics go; nothing when it does not say. */
export function exportTarget(env: Environment, signal: "traces" | "metrics" = "traces"): Target | undefined {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = env[`${own}_ENDPOINT`] || (base ? below(base, `v1/${signal}`) : undefined);
  if (!url) return undefined;
  const given = env[`${own}_HEADERS`] || env.OTEL_EXPORTER_OTLP_HEADERS || "";
  const pairs = given.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const] : [];
  });
  return withoutUserinfo(url, Object.fromEntries(pairs));
}

/** Before the parameters, if there are any. */
const below = (base: string, path: string): string => base.replace(/\/*(\?[^#]*)?(#.*)?$/s, `/${path}$1`);

/** A name and password are sent as a header: no request can be made to an address that has them. */
function withoutUserinfo(address: string, headers: Target["headers"]): Target {
  if (!URL.canParse(address)) return { url: address, headers };
  const url = new URL(address);
  const { username, password } = url;
  if (username === "" && password === "") return { url: address, headers };
  [url.username, url.password] = ["", ""];
  const known = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  return { url: url.href, headers: isGiven ? headers : { ...headers, authorization: `Basic ${known}` } };
}

const decoded = (text: string): string => unlessItThrows(() => decodeURIComponent(text), text);

const wireValue = (value: Value): Readonly<Record<string, Value>> => {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

export const attributesOf = (attributes: Readonly<Record<string, Value>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: wireValue(value) }));

/** Milliseconds are all that a journal knows. */
const nanos = (iso: string): string => `${Date.parse(iso)}000000`;

const STATUS = { unset: 0, ok: 1, error: 2 } as const;
const INTERNAL = 1;

const spanOf = (
  trace_id: string,
  { id, parent, name, start, end, status, message, attributes, events, links }: Span,
) => ({
  traceId: trace_id,
  spanId: id,
  ...(parent === null ? {} : { parentSpanId: parent }),
  name,
  kind: INTERNAL,
  startTimeUnixNano: nanos(start),
  endTimeUnixNano: nanos(end),
  attributes: attributesOf(attributes),
  events: events.map((event) => ({
    name: event.name,
    timeUnixNano: nanos(event.at),
    attributes: attributesOf(event.attributes),
  })),
  links: links.map((link) => ({
    traceId: link.trace_id,
    spanId: link.span_id,
    attributes: attributesOf(link.attributes),
  })),
  status: { code: STATUS[status], ...(message === undefined ? {} : { message }) },
});

export const otlpBody = ({ trace_id, spans }: Trace, service: string, version: string) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ "service.name": service, "service.version": version }) },
      scopeSpans: [{ scope: { name: "segno", version }, spans: spans.map((span) => spanOf(trace_id, span)) }],
    },
  ],
});

const BATCH = 512;
const TIMEOUT_MS = 10_000;

/** Sends the spans in batches. Gives why it did not work, or nothing. */
export async function send(
  trace: Trace,
  target: Target,
  service: string,
  version: string,
): Promise<string | undefined> {
  for (let from = 0; from < trace.spans.length; from += BATCH) {
    const batch = { ...trace, spans: trace.spans.slice(from, from + BATCH) };
    const problem = await post(target, JSON.stringify(otlpBody(batch, service, version)));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** For people: without a name, password or key. In a text that is no address, a password could stand anywhere. */
export const shownTarget = (url: string): string => (isAddress(url) ? placeOfAddress(url) : "where it was to go");

export async function post(target: Target, body: string): Promise<string | undefined> {
  const { url, headers } = target;
  // What is said of an address that is none would show all of it.
  if (!isAddress(url)) return "that is no address that begins with http:// or https://";
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      // The contents and the keys are only for the configured address: redirects are not followed.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) return undefined;
    if (answer.status >= 300 && answer.status < 400)
      return `it answered ${answer.status} and leads elsewhere, where nothing is sent: name the address that takes it`;
    const said = shownAnswer(target, await answer.text());
    return `it answered ${answer.status}${said ? `: ${said}` : ""}`;
  } catch (problem) {
    const { cause, message } = problem as Error & { cause?: { message?: string; code?: string } };
    return withoutWhatIsSent(target, cause?.code ?? cause?.message ?? message);
  }
}

const MOST_READ = 20_000;
const MOST_SHOWN = 300;

/** A text without what is sent to that collector with every request: each header's value, and the keys in its address. */
function withoutWhatIsSent({ url, headers }: Target, text: string): string {
  const sent = [...Object.values(headers).flatMap(partsOfHeader), ...secretsFromAddress(url)];
  return createRedactor({ secrets: [], shortSecrets: sent }).text(text);
}

/** What a collector answered: it may repeat what it was sent in confidence, which is taken out before anything is cut. */
const shownAnswer = (target: Target, answer: string): string =>
  withoutWhatIsSent(target, answer.trim().slice(0, MOST_READ)).slice(0, MOST_SHOWN);

/** Whole, and what follows a scheme (`Bearer …`); of `Basic` also the name with its password, and the password. */
function partsOfHeader(value: string): string[] {
  const [, scheme, token] = /^(\w+)\s+(\S.*)$/s.exec(value) ?? [];
  if (!scheme || !token) return [value];
  if (scheme.toLowerCase() !== "basic") return [value, token];
  const pair = Buffer.from(token, "base64").toString("utf8");
  const [user = "", ...password] = pair.split(":");
  // `http://TOKEN@host` has no password beside it.
  return [value, token, pair, password.join(":") || user];
}
