// Filters for HTML and addresses.
import { fail } from "../error.ts";
import { spendText } from "../limits.ts";
import { splitBlanks } from "../values/characters.ts";
import { isTrue } from "../values/compare.ts";
import { entriesOf, isDictionary, itemsOf, iterableOf } from "../values/dict.ts";
import { str } from "../values/repr.ts";
import { byName, operation, textArgument } from "../values/thing.ts";
import { aTypeWord, escapeHtml, isText, Markup, raiseUndefined, Undefined, type Value } from "../values/value.ts";

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

export const HTML_FILTERS = byName({
  escape: operation([], escaped),
  e: operation([], escaped),
  forceescape: operation([], (input) => escaped(str(input))),
  safe: operation([], (input) => (input instanceof Markup ? input : new Markup(str(input)))),
  striptags: operation([], stripTags),
  urlencode: operation([], urlEncode),
  xmlattr: operation(["autospace?"], (input, [autospace = true]) => xmlAttributes(input, isTrue(autospace))),
  urlize: operation(
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
});

interface LinkStyle {
  readonly limit: number | undefined;
  readonly target: string | undefined;
  readonly rel: readonly string[];
  readonly schemes: readonly string[];
}

const HEAD = /^(?:[(<]|&lt;)+/;
const TAIL = /(?:[)>.,]|&gt;|\n)+$/;
const ADDRESS =
  /^(?:https?:\/\/|www\.)(?:(?:[\w%-]+\.)*[a-z]{2,63}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?:[/?#]\S*)?$/i;
const BARE_DOMAIN = /^[a-z0-9][\w-]*(?:\.[\w-]+)*\.(?:com|net|int|edu|gov|org|info|mil)(?:[/?#]\S*)?$/i;
const MAIL = /^(?:mailto:)?[^\s@:]+@[\w.-]+\.\w+$/;
/** Longer words are no addresses, and the patterns above stay quick. */
const MAX_WORD = 2000;

/**
 * `urlize`: turns addresses in text into links. Punctuation around an address stays outside. `text` is escaped already.
 */
function linkAddresses(text: string, style: LinkStyle): string {
  spendText(text.length * 8);
  return text
    .split(/(\s+)/)
    .map((word) => linkWord(word, style))
    .join("");
}

function linkWord(word: string, style: LinkStyle): string {
  if (word.length > MAX_WORD) return word;
  const head = HEAD.exec(word)?.[0] ?? "";
  let middle = word.slice(head.length);
  let tail = TAIL.exec(middle)?.[0] ?? "";
  middle = middle.slice(0, middle.length - tail.length);
  // A bracket that was opened inside the address belongs to it.
  while (tail.startsWith(")") && count(middle, "(") > count(middle, ")")) {
    middle += ")";
    tail = tail.slice(1);
  }
  const link = linkFor(middle, style);
  return link === undefined ? word : head + link + tail;
}

const count = (text: string, char: string): number => text.split(char).length - 1;

function linkFor(word: string, style: LinkStyle): string | undefined {
  const rel = style.rel.length > 0 ? ` rel="${escapeHtml(style.rel.join(" "))}"` : "";
  const target = style.target === undefined ? "" : ` target="${escapeHtml(style.target)}"`;
  if (ADDRESS.test(word)) {
    const href = /^https?:/i.test(word) ? word : `https://${word}`;
    return `<a href="${href}"${rel}${target}>${shortened(word, style.limit)}</a>`;
  }
  if (BARE_DOMAIN.test(word)) return `<a href="https://${word}"${rel}${target}>${shortened(word, style.limit)}</a>`;
  if (MAIL.test(word)) {
    const address = word.replace(/^mailto:/, "");
    return word === address ? `<a href="mailto:${address}">${address}</a>` : `<a href="${word}">${address}</a>`;
  }
  if (style.schemes.some((scheme) => word !== scheme && word.startsWith(scheme))) {
    return `<a href="${word}"${rel}${target}>${word}</a>`;
  }
  return undefined;
}

const shortened = (word: string, limit: number | undefined): string =>
  limit !== undefined && word.length > limit ? `${word.slice(0, limit)}...` : word;
