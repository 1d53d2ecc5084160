// `{…}` and `[…]`, on one line or several.
import { measured } from "../../grow.ts";
import type { Tree, TreeEntry } from "../../tree.ts";
import { type Cursor, unsure } from "./cursor.ts";
import { mayBePlain, plainValue, quotedScalar, scalar } from "./scalars.ts";

const DEEPEST = 40;

/** A value inside brackets or braces, or the brackets themselves; further lines are indented more than `parent`. */
export function flowNode(cursor: Cursor, parent: number, depth = 0): Tree {
  if (depth > DEEPEST) unsure();
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
