// `urlize`: turns addresses in text into links. Punctuation around an address stays outside.

import { spendText } from "../limits.ts";
import { escapeHtml } from "../values/markup.ts";

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

/** `text` is escaped already. */
export function linkAddresses(text: string, style: LinkStyle): string {
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

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}

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

function shortened(word: string, limit: number | undefined): string {
  return limit !== undefined && word.length > limit ? `${word.slice(0, limit)}...` : word;
}
