// Filters for HTML and addresses.

import { fail } from "../error.ts";
import { spendText } from "../limits.ts";
import { entriesOf, isDictionary } from "../values/dictionary.ts";
import { itemsOf, iterableOf } from "../values/iterate.ts";
import { escapeHtml, isText, Markup } from "../values/markup.ts";
import { str } from "../values/repr.ts";
import { operation, textArgument } from "../values/signature.ts";
import type { Operation } from "../values/thing.ts";
import { isTrue } from "../values/truth.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import { aTypeWord, type Value } from "../values/value.ts";
import { splitBlanks } from "../values/whitespace.ts";
import { linkAddresses } from "./link-addresses.ts";

function escaped(input: Value): Markup {
  if (input instanceof Markup) return input;
  const text = str(input);
  spendText(text.length * 2);
  return new Markup(escapeHtml(text));
}

/** Percent-encoding as Python does it; a blank is a plus only in a query. */
function quote(text: string, inQuery: boolean): string {
  spendText(text.length * 3);
  const encoded = encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd")).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return inQuery ? encoded.replaceAll("%20", "+") : encoded.replaceAll("%2F", "/");
}

function urlEncode(input: Value): string {
  if (input instanceof Undefined) return raiseUndefined(input);
  const items = isText(input) ? undefined : iterableOf(input);
  if (!items) return quote(str(input), false);
  const pairs = isDictionary(input) ? entriesOf(input) : Array.from(items, pairOf);
  return pairs.map(([key, value]) => `${quote(str(key), true)}=${quote(str(value), true)}`).join("&");
}

function pairOf(value: Value): readonly [Value, Value] {
  const [key, item, ...more] = itemsOf(value);
  if (item === undefined || more.length > 0) return fail("type", "'urlencode' needs text, a mapping, or pairs.");
  return [key, item];
}

function removeBetween(text: string, open: string, close: string): string {
  let result = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return result + text.slice(at);
    result += text.slice(at, start);
    at = end + close.length;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
  });
}

function stripTags(input: Value): string {
  const text = str(input);
  spendText(text.length);
  const bare = removeBetween(removeBetween(text, "<!--", "-->"), "<", ">");
  return unescapeHtml(splitBlanks(bare, -1).join(" "));
}

function xmlAttributes(input: Value, autospace: boolean): string {
  if (input instanceof Undefined) raiseUndefined(input);
  if (!isDictionary(input)) return fail("type", `'xmlattr' needs a mapping, not ${aTypeWord(input)}.`);
  const parts: string[] = [];
  for (const [key, value] of entriesOf(input)) {
    if (value === null || value instanceof Undefined) continue;
    if (/[\s/>=]/.test(str(key))) fail("type", `'${str(key)}' cannot be the name of an attribute.`);
    parts.push(`${escaped(key).text}="${escaped(value).text}"`);
  }
  return (autospace && parts.length > 0 ? " " : "") + parts.join(" ");
}

export const HTML_FILTERS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["escape", operation([], escaped)],
  ["e", operation([], escaped)],
  ["forceescape", operation([], (input) => escaped(str(input)))],
  ["safe", operation([], (input) => (input instanceof Markup ? input : new Markup(str(input))))],
  ["striptags", operation([], stripTags)],
  ["urlencode", operation([], urlEncode)],
  ["xmlattr", operation(["autospace?"], (input, [autospace = true]) => xmlAttributes(input, isTrue(autospace)))],
  [
    "urlize",
    operation(
      ["trim_url_limit?", "nofollow?", "target?", "rel?", "extra_schemes?"],
      (input, [limit = null, nofollow = false, target = null, rel = null, schemes = null]) =>
        linkAddresses(escaped(input).text, {
          limit: limit === null ? undefined : Number(limit),
          target: target === null ? undefined : textArgument(target),
          rel: [
            ...new Set([
              ...(rel === null ? [] : textArgument(rel).split(/\s+/)),
              ...(isTrue(nofollow) ? ["nofollow"] : []),
              "noopener",
            ]),
          ].sort(),
          schemes: schemes === null ? [] : itemsOf(schemes).map((scheme) => textArgument(scheme)),
        }),
    ),
  ],
]);
