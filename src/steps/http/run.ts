// `type: http`. Sends one request; an answer that the step does not accept is an error with all that was answered.
import { failed, type Raised, raised, succeeded } from "../../base/errors/index.ts";
import { retryAfterSeconds } from "../../base/errors/retry-after.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { isSecretKey, placeOfAddress, REDACTED } from "../../base/redact/index.ts";
import type { SentRequest } from "../../base/results/result.ts";
import type { Scope } from "../../template/index.ts";
import { type OutputFields, schemaViolation } from "../output-schema.ts";
import { type Attempt, BadValue, type Executor } from "../step-type.ts";
import { renderMapping, renderText, renderTexts, renderValue } from "../values.ts";
import type { HttpRequest, HttpResult } from "../world.ts";
import { type AcceptedStatus, isAccepted } from "./accepted-status.ts";
import { refusalWarning, saidIn, saysNo } from "./says-no.ts";
import type { HttpStep } from "./schema.ts";

export interface PreparedHttp {
  readonly request: HttpRequest;
  readonly accept_status?: readonly AcceptedStatus[];
  readonly output?: OutputFields;
  /** Without `timeout`, so that a server that says nothing more would be waited for for ever. */
  readonly isUnlimited?: true;
  /** Without `raise_when`: the author has not said what an answer that says no means. */
  readonly isUnclassified?: true;
}

/** How long a step without `timeout` waits for the next byte, in seconds. */
export const LONGEST_SILENCE_SECONDS = 300;

type Answered = Extract<HttpResult, { answered: true }>;

export const http: Executor<HttpStep, PreparedHttp> = {
  type: "http",
  version: 1,

  prepare(step, { names }) {
    const request = requestOf(step, names);
    return {
      request: step.redirects ? { ...request, redirects: step.redirects } : request,
      accept_status: step.accept_status,
      output: step.output,
      isUnlimited: step.timeout === undefined || undefined,
      isUnclassified: !step.raise_when?.length || undefined,
    };
  },

  hashed: ({ isUnlimited: _, isUnclassified: _unclassified, ...decisive }) => decisive,

  async execute({ request, accept_status, output: fields, isUnlimited, isUnclassified }, attempt) {
    const about = { node: attempt.node, target: placeOfAddress(request.url) };
    attempt.emit("http_started", { ...about, method: request.method });
    const began = attempt.clock.now();
    const sent = isUnlimited ? { ...request, idle_seconds: LONGEST_SILENCE_SECONDS } : request;
    const result = await attempt.world.fetch(sent, attempt);
    const elapsed = (attempt.clock.now() - began) / 1000;
    if (!result.answered) {
      const error = result.error ?? noAnswer(request, result);
      attempt.emit("http_failed", { ...about, status: null, elapsed, message: error.message });
      return failed(error);
    }
    const { status, headers, body, seconds } = result;
    const output = { status, headers, body, response_time: seconds };
    if (!isAccepted(status, accept_status)) {
      const error = refused(request, result, attempt);
      attempt.emit("http_failed", { ...about, status, elapsed, message: error.message });
      return failed(error, output);
    }
    attempt.emit("http_completed", { ...about, status, elapsed });
    const error = await schemaViolation(attempt.node, "http", fields, output, attempt.workflow.rules);
    if (error) return failed(error, output);
    const no = isUnclassified && status >= 200 && status <= 299 ? saysNo(body) : undefined;
    if (no) attempt.emit("warning", { node: attempt.node, message: refusalWarning(attempt.node, status, no) });
    return succeeded(output);
  },
};

function noAnswer(request: HttpRequest, result: Exclude<HttpResult, { answered: true }>): Raised {
  const { code, message } = result;
  const url = shownAddress(request, result);
  return raised("http.network", `${request.method} ${placeOfAddress(url)} had no usable answer: ${message} (${code})`, {
    url,
    code,
    method: request.method,
    request: sentRequest(request, result),
  });
}

function refused(request: HttpRequest, answer: Answered, attempt: Attempt): Raised {
  const { method } = request;
  const url = shownAddress(request, answer);
  const { status, headers, body, seconds } = answer;
  const isUnavailable = status === 429 || status >= 500;
  const said = saidIn(body);
  const message = `${method} ${placeOfAddress(url)} answered ${status}${said ? `: ${said}` : ""}`;
  return raised(isUnavailable ? "http.unavailable" : "http.status", message, {
    status_code: status,
    raw_response: bounded(body),
    response_headers: headers,
    response_time: seconds,
    url,
    retry_after: retryAfterSeconds(headers, attempt.clock.now()),
    request: sentRequest(request, answer),
  });
}

/** The result has the address with the run's secrets redacted. */
const shownAddress = ({ url }: HttpRequest, { address }: HttpResult): string => address ?? url;

/** What was sent, for those who look for the mistake: without the run's secrets, and a JSON body as a value. */
function sentRequest(request: HttpRequest, { redact = (value) => value }: HttpResult): SentRequest {
  const { method, url, headers, body } = request;
  const shown = Object.entries(headers).map(([name, value]) => [name, isSecretKey(name) ? REDACTED : value]);
  const isJson = Object.entries(headers).some(([name, value]) => /^content-type$/i.test(name) && /json/i.test(value));
  const sent = body === undefined ? {} : { body: bounded(isJson ? jsonOrText(body) : body) };
  return redact({ method, url, headers: Object.fromEntries(shown), ...sent }) as SentRequest;
}

function jsonOrText(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return json;
  }
}

const LONGEST_RAW_RESPONSE = 64 * 1024;

/** An envelope is kept, sent and shown in many places; a body of megabytes stays in the step's output alone. */
function bounded(body: unknown): unknown {
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "");
  return text.length <= LONGEST_RAW_RESPONSE
    ? body
    : `${text.slice(0, LONGEST_RAW_RESPONSE)}… (cut; the whole is in the output)`;
}

// From the rendered fields of an `http` step to the request that goes out.

const EXPECTED = "an absolute http or https URL is needed, such as https://api.example.com/issues";

/** Text goes as it is, everything else as JSON; undefined: no body. */
function requestOf(step: HttpStep, names: Scope): HttpRequest {
  const address = renderText(step.url, names);
  const headers = renderTexts(step.headers, names);
  const query = renderMapping(step.query, names, "kept");
  const body = step.body === undefined ? undefined : renderValue(step.body, names, "kept");
  const target = urlOf(address);
  for (const [name, value] of Object.entries(query)) addQuery(target, name, value);
  const sent = checkedHeaders(headers);
  const { method } = step;
  if (body === undefined) return { url: target.href, method, headers: sent };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const hasType = Object.keys(sent).some((name) => name.toLowerCase() === "content-type");
  if (!hasType) sent["content-type"] = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  return { url: target.href, method, headers: sent, body: text };
}

function urlOf(text: string): URL {
  if (!URL.canParse(text.trim())) throw new BadValue("url", text, EXPECTED);
  const url = new URL(text.trim());
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new BadValue("url", text, EXPECTED);
  return url;
}

/** A list repeats its parameter; null leaves it out. */
function addQuery(url: URL, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) for (const item of value) addQuery(url, name, item);
  else url.searchParams.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
}

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
        throw new BadValue(`headers.${name}`, name, "this is no name for a header");
      const text = value.trim();
      // A line break would end the header and begin another: that is how requests are forged.
      if (/[^\t\x20-\x7e\x80-\xff]/.test(text))
        throw new BadValue(`headers.${name}`, value, "a header is one line of plain text");
      return [name, text];
    }),
  );
}
