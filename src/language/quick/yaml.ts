// A reader for the YAML that workflow files are nearly always written in: the same tree as the YAML library gives, or
// nothing at all. At the first thing that it is not sure of, it leaves the file to the library (README.md says why).

import { measured } from "../grow.ts";
import type { LoadWorld } from "../loaded.ts";
import type { SourceFile, Tree, TreeEntry } from "../tree.ts";
import {
  block,
  Cursor,
  mayBePlain,
  plainScalar,
  plainValue,
  quotedScalar,
  scalar,
  Unsure,
  unsure,
} from "./yaml-scalars.ts";

/** Tabs, carriage returns, control characters, directives and document marks have rules of their own. */
const UNUSUAL = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]|^(?:%|---|\.\.\.)/m;

const MOST_CHARACTERS = 1_000_000;

/** The tree of a file, or undefined when the YAML library has to look at it. */
export function quickTree(source: SourceFile): Tree | undefined {
  if (source.text.length > MOST_CHARACTERS || UNUSUAL.test(source.text)) return undefined;
  try {
    const cursor = new Cursor(source);
    if (!cursor.nextContent() || cursor.column !== 0) return undefined;
    const tree = blockNode(cursor, 0);
    return cursor.isAtEnd ? tree : undefined;
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

const MOST_LEVELS = 40;

/** A mapping or list whose first character is where the cursor stands. */
function blockNode(cursor: Cursor, depth: number): Tree {
  if (depth > MOST_LEVELS) unsure();
  const column = cursor.columnHere();
  if (isDash(cursor)) return blockList(cursor, column, depth);
  return isKey(cursor) ? blockMapping(cursor, column, depth) : unsure();
}

const isDash = ({ text, at }: Cursor): boolean => text[at] === "-" && (text[at + 1] === " " || text[at + 1] === "\n");

const PLAIN_KEY = /[A-Za-z0-9_$][\w$./@-]*(?=:(?: |\n|$))/y;
const QUOTED_KEY = /(?:"[^"\\\n]+"|'[^'\n]+')(?=:(?: |\n|$))/y;

function keyAt({ text, at }: Cursor): string | undefined {
  PLAIN_KEY.lastIndex = at;
  QUOTED_KEY.lastIndex = at;
  const key = (PLAIN_KEY.exec(text) ?? QUOTED_KEY.exec(text))?.[0];
  return key !== undefined && key.length < 1000 ? key : undefined;
}

const isKey = (cursor: Cursor): boolean => keyAt(cursor) !== undefined;

function blockMapping(cursor: Cursor, column: number, depth: number): Tree {
  const start = cursor.at;
  const entries = new Map<string, TreeEntry>();
  do {
    const from = cursor.at;
    const written = keyAt(cursor) ?? unsure();
    const name = written.startsWith('"') || written.startsWith("'") ? written.slice(1, -1) : written;
    if (entries.has(name) || name === "__proto__") unsure();
    const key = cursor.place(from, from + written.length);
    cursor.at += written.length + 1;
    entries.set(name, { key, value: entryValue(cursor, column, depth) });
  } while (goesOn(cursor, column));
  const children = [...entries.values()].map((entry) => entry.value);
  return { kind: "mapping", entries, place: cursor.place(start, cursor.at), ...measured(children) };
}

/** What follows `key:`: on the same line, below it, or nothing. */
function entryValue(cursor: Cursor, column: number, depth: number): Tree {
  const afterColon = cursor.at;
  if (!cursor.skipToValue()) return lineValue(cursor, column);
  cursor.nextContent();
  // A list may stand in the same column as the key that it belongs to.
  if (cursor.column > column || (cursor.column === column && isDash(cursor))) return blockNode(cursor, depth + 1);
  return nothing(cursor, afterColon);
}

function blockList(cursor: Cursor, column: number, depth: number): Tree {
  const start = cursor.at;
  const items: Tree[] = [];
  do {
    if (!isDash(cursor)) break;
    const afterDash = ++cursor.at;
    if (cursor.skipToValue()) {
      cursor.nextContent();
      items.push(cursor.column > column ? blockNode(cursor, depth + 1) : nothing(cursor, afterDash));
    } else items.push(isDash(cursor) || isKey(cursor) ? blockNode(cursor, depth + 1) : lineValue(cursor, column));
  } while (goesOn(cursor, column));
  return { kind: "list", items, place: cursor.place(start, cursor.at), ...measured(items) };
}

const nothing = (cursor: Cursor, at: number): Tree => scalar(null, "plain", cursor.place(at, at));

/** A value that begins on the line of its key or dash. */
function lineValue(cursor: Cursor, column: number): Tree {
  const { char } = cursor;
  if (char === "|" || char === ">") {
    const text = block(cursor, column);
    cursor.nextContent();
    return text;
  }
  if (char === "{" || char === "[" || char === '"' || char === "'") {
    const value = char === "{" || char === "[" ? flowNode(cursor, column) : quotedScalar(cursor);
    cursor.endLine();
    cursor.nextContent();
    return value;
  }
  const value = plainScalar(cursor);
  cursor.nextContent();
  return value;
}

/** Whether another entry follows in this column; one that is indented further belongs to nothing. */
function goesOn(cursor: Cursor, column: number): boolean {
  if (cursor.isAtEnd || cursor.column < column) return false;
  return cursor.column === column || unsure();
}

/** A value inside brackets or braces, or the brackets themselves; further lines are indented more than `parent`. */
function flowNode(cursor: Cursor, parent: number, depth = 0): Tree {
  if (depth > MOST_LEVELS) unsure();
  switch (cursor.char) {
    case "{":
      return flowMapping(cursor, parent, depth);
    case "[":
      return flowList(cursor, parent, depth);
    case '"':
    case "'":
      return quotedScalar(cursor);
    default:
      return flowPlain(cursor);
  }
}

function flowList(cursor: Cursor, parent: number, depth: number): Tree {
  const start = cursor.at++;
  const items: Tree[] = [];
  skip(cursor, parent);
  while (cursor.char !== "]") {
    items.push(flowNode(cursor, parent, depth + 1));
    separate(cursor, parent, "]");
  }
  cursor.at++;
  return { kind: "list", items, place: cursor.place(start, cursor.at), ...measured(items) };
}

const KEY = /[A-Za-z0-9_$][\w$./@-]*(?=: )/y;

function flowMapping(cursor: Cursor, parent: number, depth: number): Tree {
  const start = cursor.at++;
  const entries = new Map<string, TreeEntry>();
  skip(cursor, parent);
  while (cursor.char !== "}") {
    const from = cursor.at;
    const name = flowKey(cursor);
    if (entries.has(name) || name === "__proto__") unsure();
    const key = cursor.place(from, cursor.at);
    if (cursor.char !== ":" || cursor.text[cursor.at + 1] !== " ") unsure();
    cursor.at++;
    skip(cursor, parent);
    const value = flowNode(cursor, parent, depth + 1);
    entries.set(name, { key, value });
    separate(cursor, parent, "}");
  }
  cursor.at++;
  const children = [...entries.values()].map((entry) => entry.value);
  return { kind: "mapping", entries, place: cursor.place(start, cursor.at), ...measured(children) };
}

function flowKey(cursor: Cursor): string {
  if (cursor.char === '"' || cursor.char === "'") {
    const { value } = quotedScalar(cursor);
    return typeof value === "string" && value !== "" ? value : unsure();
  }
  KEY.lastIndex = cursor.at;
  const key = KEY.exec(cursor.text)?.[0] ?? unsure();
  cursor.at += key.length;
  return key;
}

/** After an entry: a comma, or the end. */
function separate(cursor: Cursor, parent: number, close: string): void {
  skip(cursor, parent);
  if (cursor.char === close) return;
  if (cursor.char !== ",") unsure();
  cursor.at++;
  skip(cursor, parent);
}

/** Blanks, line breaks and comments. */
function skip(cursor: Cursor, parent: number): void {
  while (cursor.char === " ") cursor.at++;
  if (cursor.char === "#") unsure();
  if (cursor.char !== "\n") return;
  if (!cursor.nextContent() || cursor.column <= parent) unsure();
}

function flowPlain(cursor: Cursor): Tree {
  const { text, at: start } = cursor;
  if (!mayBePlain(text, start)) unsure();
  let at = start;
  for (; ; at++) {
    const char = text[at];
    if (char === undefined || char === "[" || char === "{") unsure();
    if (char === "," || char === "]" || char === "}" || char === "\n") break;
    if (char === ":" && /[\s,[\]{}]/.test(text[at + 1] ?? " ")) unsure();
    if (char === "#" && text[at - 1] === " ") unsure();
  }
  const word = text.slice(start, at).replace(/ +$/, "");
  // A plain text may go on in the next line; only a comma or a bracket there says that it does not.
  if (text[at] === "\n" && !/^\s*[,\]}]/.test(text.slice(at, at + 200))) unsure();
  cursor.at = start + word.length;
  return scalar(plainValue(word), "plain", cursor.place(start, cursor.at));
}

export const readsQuickly = ({ env }: LoadWorld): boolean => env.SEGNO_QUICK !== "off";
