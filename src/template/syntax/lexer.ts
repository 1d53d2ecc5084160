// Splits a template into text and tags, and does the whitespace control of `-`.
// trim_blocks and lstrip_blocks are off, so `+` has nothing to undo.

import { fail } from "../error.ts";
import type { Positions } from "./positions.ts";
import { lexTag } from "./tag-lexer.ts";
import type { Token } from "./token-stream.ts";

const RAW_BEGIN = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y;
const RAW_END = /\{%([-+]?)\s*endraw\s*(?:-%\}\s*|\+?%\})/g;
const TAG_END = { pattern: /-%\}\s*|\+?%\}/y, type: "tag-end" } as const;
const OUTPUT_END = { pattern: /-\}\}\s*|\}\}/y, type: "output-end" } as const;
const SPACES = /\s*/y;

export function lexTemplate(positions: Positions): Token[] {
  const { source } = positions;
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const begin = nextTag(source, at);
    const trimmed = source[begin + 2] === "-";
    pushText(tokens, source, at, begin, trimmed);
    if (begin === source.length) break;
    const inside = begin + (trimmed || source[begin + 2] === "+" ? 3 : 2);
    const mark = source[begin + 1];
    if (mark === "#") at = afterComment(positions, begin, inside);
    else if (mark === "{") {
      tokens.push({ type: "output-begin", value: "{{", start: begin, end: inside });
      at = lexTag(positions, inside, tokens, "jinja", OUTPUT_END);
    } else {
      RAW_BEGIN.lastIndex = begin;
      const raw = RAW_BEGIN.exec(source);
      if (raw) at = lexRaw(positions, begin, begin + raw[0].length, tokens);
      else {
        tokens.push({ type: "tag-begin", value: "{%", start: begin, end: inside });
        at = lexTag(positions, inside, tokens, "jinja", TAG_END);
      }
    }
  }
  tokens.push({ type: "end", value: "", start: source.length, end: source.length });
  return tokens;
}

export function lexExpression(positions: Positions, dialect: "jinja" | "condition"): Token[] {
  const tokens: Token[] = [];
  lexTag(positions, 0, tokens, dialect, undefined);
  const end = positions.source.length;
  tokens.push({ type: "end", value: "", start: end, end });
  return tokens;
}

function nextTag(source: string, from: number): number {
  for (let at = source.indexOf("{", from); at >= 0; at = source.indexOf("{", at + 1)) {
    const mark = source[at + 1];
    if (mark === "{" || mark === "%" || mark === "#") return at;
  }
  return source.length;
}

function pushText(tokens: Token[], source: string, start: number, end: number, trimmed: boolean): void {
  const text = source.slice(start, end);
  const value = (trimmed ? text.trimEnd() : text).replace(/\r\n?/g, "\n");
  if (value !== "") tokens.push({ type: "text", value, start, end });
}

function afterComment(positions: Positions, begin: number, inside: number): number {
  const { source } = positions;
  // `{#-#}` is an empty comment: the dash belongs to the beginning.
  const end = source.indexOf("#}", inside);
  if (end < 0) fail("syntax", "The comment is not closed: '#}' is missing.", positions.at(begin));
  if (source[end - 1] !== "-" || end - 1 < inside) return end + 2;
  SPACES.lastIndex = end + 2;
  return end + 2 + (SPACES.exec(source)?.[0].length ?? 0);
}

function lexRaw(positions: Positions, begin: number, inside: number, tokens: Token[]): number {
  RAW_END.lastIndex = inside;
  const end = RAW_END.exec(positions.source);
  if (!end) fail("syntax", "This raw block is not closed: '{% endraw %}' is missing.", positions.at(begin));
  pushText(tokens, positions.source, inside, end.index, end[1] === "-");
  return end.index + end[0].length;
}
