// From the rendered fields of an `http` step to the request that goes out.
import { BadValue } from "../executor.ts";
import type { HttpRequest } from "../world.ts";

export interface RequestFields {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Text goes as it is, everything else as JSON; absent: no body. */
  readonly body?: unknown;
}

const EXPECTED = "an absolute http or https URL is needed, such as https://api.example.com/issues";

export function requestOf({ url, method, headers, query, body }: RequestFields): HttpRequest {
  const target = urlOf(url);
  for (const [name, value] of Object.entries(query)) addQuery(target, name, value);
  const sent = checkedHeaders(headers);
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
