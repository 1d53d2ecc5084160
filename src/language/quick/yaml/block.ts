// Mappings and lists by indentation.
import { measured } from "../../grow.ts";
import type { Tree, TreeEntry } from "../../tree.ts";
import { type Cursor, unsure } from "./cursor.ts";
import { flowNode } from "./flow.ts";
import { block, plainScalar, quotedScalar, scalar } from "./scalars.ts";

const DEEPEST = 40;

/** A mapping or list whose first character is where the cursor stands. */
export function blockNode(cursor: Cursor, depth: number): Tree {
  if (depth > DEEPEST) unsure();
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
