// Splits a template into text and tags, and does the whitespace control of `-`.
// trim_blocks and lstrip_blocks are off, so `+` has nothing to undo.
import { fail } from "../error.ts";
import type { Dialect, Positions, Token, TokenType } from "./token-stream.ts";

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

const SPACE = /\s+/y;
/** A condition is Python's, where a comment goes to the end of the line. */
const SPACE_AND_COMMENTS = /(?:\s|#.*)+/y;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INT = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const ASCII_NAME = /[A-Za-z_]\w*/y;
let unicodeName: RegExp | undefined;
/** Made when it is needed: V8 takes most of a millisecond for it. */
const nameOfAnyLetters = (): RegExp => (unicodeName ??= /[\p{ID_Start}_]\p{ID_Continue}*/uy);
const OPERATOR = /\*\*|\/\/|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,;]/y;
const CONDITION_OPERATOR = /&&|\|\||<<|>>|[&^]|\*\*|\/\/|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,;!]/y;

/** More than the parser takes; checked here already, so that a megabyte of brackets costs nothing. */
const MAX_BRACKETS = 200;

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * Tokens inside `{{ … }}` and `{% … %}`, and of a bare expression. Brackets are balanced here, because only then is it
 * clear that the `}}` of `{{ {'a': {}} }}` is no end. Reads tokens until `end` matches outside of brackets; returns the
 * offset after it.
 */
function lexTag(
  positions: Positions,
  from: number,
  tokens: Token[],
  dialect: Dialect,
  end: { readonly pattern: RegExp; readonly type: TokenType } | undefined,
): number {
  const { source } = positions;
  const open: Token[] = [];
  let at = from;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const push = (type: TokenType, length: number, value = source.slice(at, at + length)): Token => {
    const token: Token = { type, value, start: at, end: at + length };
    tokens.push(token);
    at += length;
    return token;
  };

  while (at < source.length) {
    at += match(dialect === "condition" ? SPACE_AND_COMMENTS : SPACE)?.length ?? 0;
    if (at >= source.length) break;
    const closing = end && open.length === 0 ? match(end.pattern) : undefined;
    if (end && closing !== undefined) {
      push(end.type, closing.length);
      return at;
    }
    const quote = source[at];
    if (quote === "'" || quote === '"') {
      const close = closingQuote(source, at);
      const value = close < 0 ? undefined : decodeString(source.slice(at + 1, close));
      if (close < 0) fail("syntax", `This text is not closed: a ${quote} is missing.`, positions.at(at));
      if (value === undefined) fail("syntax", "This text has an escape that is no character.", positions.at(at));
      push("string", close + 1 - at, value);
      continue;
    }
    const float = source[at - 1] === "." ? undefined : match(FLOAT);
    if (float !== undefined) {
      push("float", float.length, float.replaceAll("_", ""));
      continue;
    }
    const int = match(INT);
    if (int !== undefined) {
      push("int", int.length, int.replaceAll("_", ""));
      continue;
    }
    const ascii = match(ASCII_NAME);
    const isMore = source.charCodeAt(at + (ascii?.length ?? 0)) > 127;
    const name = isMore ? match(nameOfAnyLetters()) : ascii;
    if (name !== undefined) {
      push("name", name.length);
      continue;
    }
    const op = match(dialect === "condition" ? CONDITION_OPERATOR : OPERATOR);
    if (op === undefined) {
      fail("syntax", `Unexpected character ${JSON.stringify(charAt(source, at))}.`, positions.at(at));
    }
    const token = push("op", op.length);
    if (op in CLOSER) {
      open.push(token);
      if (open.length > MAX_BRACKETS) {
        fail("limit", `More than ${MAX_BRACKETS} brackets inside one another.`, positions.at(token.start));
      }
    } else if (op === ")" || op === "]" || op === "}") checkBracket(positions, open.pop(), token);
  }
  const unclosed = open.pop();
  if (unclosed) fail("syntax", `This '${unclosed.value}' is never closed.`, positions.at(unclosed.start));
  if (end) {
    const written = end.type === "output-end" ? "}}" : "%}";
    fail("syntax", `The tag is not closed: '${written}' is missing.`, positions.at(Math.max(from - 2, 0)));
  }
  return at;
}

function checkBracket(positions: Positions, open: Token | undefined, close: Token): void {
  if (open && CLOSER[open.value] === close.value) return;
  const expected = open ? `, '${CLOSER[open.value]}' is expected here` : "";
  fail("syntax", `Unexpected '${close.value}'${expected}.`, positions.at(close.start));
}

function closingQuote(source: string, at: number): number {
  const quote = source[at];
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === quote) return i;
  }
  return -1;
}

const charAt = (source: string, at: number): string => String.fromCodePoint(source.codePointAt(at) ?? 0xfffd);

const SIMPLE: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Escapes in quoted text, as Python reads them. An unknown escape stays as written. The decoded text, or undefined
 * where an escape is cut short or names no character.
 */
function decodeString(raw: string): string | undefined {
  const text = raw.replace(/\r\n?/g, "\n");
  if (!text.includes("\\")) return text;
  let valid = true;
  const decoded = text.replace(/\\([0-7]{1,3}|[xuU][0-9a-fA-F]*|[\s\S])/g, (whole, code: string) => {
    const simple = Object.hasOwn(SIMPLE, code) ? SIMPLE[code] : undefined;
    if (simple !== undefined) return simple;
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    const length = HEX_LENGTH[code[0]!];
    if (length === undefined) {
      if (code === "N") valid = false;
      return whole;
    }
    const point = Number.parseInt(code.slice(1, 1 + length), 16);
    if (code.length - 1 < length || point > 0x10ffff) {
      valid = false;
      return whole;
    }
    return String.fromCodePoint(point) + code.slice(1 + length);
  });
  return valid ? decoded : undefined;
}
