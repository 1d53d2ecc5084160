// Tokens inside `{{ … }}` and `{% … %}`, and of a bare expression. Brackets are
// balanced here, because only then is it clear that the `}}` of `{{ {'a': {}} }}` is no end.
import { fail } from "../error.ts";
import type { Positions } from "./positions.ts";
import type { Dialect, Token, TokenType } from "./token-stream.ts";

const SPACE = /\s+/y;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INT = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;
const OPERATOR = /\*\*|\/\/|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,;]/y;
const CONDITION_OPERATOR = /&&|\|\||\*\*|\/\/|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,;!]/y;

/** More than the parser takes; checked here already, so that a megabyte of brackets costs nothing. */
const MAX_BRACKETS = 200;

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Reads tokens until `end` matches outside of brackets; returns the offset after it. */
export function lexTag(
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
    at += match(SPACE)?.length ?? 0;
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
    const name = match(NAME);
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

function charAt(source: string, at: number): string {
  return String.fromCodePoint(source.codePointAt(at) ?? 0xfffd);
}

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
