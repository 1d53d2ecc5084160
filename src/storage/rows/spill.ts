// Big values inside events are kept once, by hash, beside the journal; the event holds `{"$blob": "sha256:…"}` instead.
// An author's own value with a `$blob` key is wrapped, so that it comes back as it was.
import { endOfString } from "../../base/json/bounded.ts";
import { copyEntry, type Late, latesOf, setLate } from "../../base/json/late.ts";

/** Serialised length from which a value is kept outside. */
export const BIG = 64 * 1024;

const MARK = "$blob";
const INLINE = "inline";
const QUOTED_MARK = '"$blob"';

/** Keeps a text and gives its name (`sha256:…`). */
export type Keep = (text: string) => string;
export type Fetch = (name: string) => string;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Children first, so that a big string inside a big object is shared by all events that carry it. */
function encode(value: unknown, keep: Keep): string {
  const text = isObject(value) ? encodeObject(value, keep) : JSON.stringify(value);
  return text.length > BIG ? blob(keep(text)) : text;
}

/** An entry as JSON has it; nothing for one that JSON leaves out. What is kept outside already is not read for it. */
function encodeEntry(value: Record<string, unknown>, key: string, keep: Keep): string | undefined {
  const late = latesOf(value)?.get(key);
  if (late?.keeper === keep) return blob(late.name);
  const inner = value[key];
  return inner === undefined ? undefined : encode(inner, keep);
}

function entriesOf(value: Record<string, unknown>, keep: Keep): string {
  let text = "";
  for (const key of Object.keys(value)) {
    const inner = encodeEntry(value, key, keep);
    if (inner !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${inner}`;
  }
  return text;
}

function encodeObject(value: Record<string, unknown>, keep: Keep): string {
  if (Array.isArray(value)) {
    let text = "";
    for (let at = 0; at < value.length; at++)
      text += `${at === 0 ? "" : ","}${encodeEntry(value as never, String(at), keep) ?? "null"}`;
    return `[${text}]`;
  }
  const entries = `{${entriesOf(value, keep)}}`;
  return Object.hasOwn(value, MARK) && value[MARK] !== undefined ? inline(entries) : entries;
}

const blob = (name: string): string => `{${QUOTED_MARK}:${JSON.stringify(name)}}`;
const inline = (entries: string): string => `{${QUOTED_MARK}:"${INLINE}","value":${entries}}`;

/** A text is looked into only when it is long or speaks of blobs itself. */
export const mayHoldBig = (text: string): boolean => text.length > BIG || text.includes(QUOTED_MARK);

/** The text of an event's data, with its big values kept outside. */
export function keepBig(text: string, keep: Keep): string {
  return mayHoldBig(text) ? new BigInText(text, keep).replaced() : text;
}

/** A number, true, false or null. */
const LITERAL = /[^,\]}]+/y;

/** Gives what `encode` does of a JSON text, without parsing it: to make an object of hundreds of thousands of keys takes several times as long. */
class BigInText {
  #at = 0;

  /** `text`: as `JSON.stringify` writes it. */
  constructor(
    private readonly text: string,
    private readonly keep: Keep,
  ) {}

  /** The whole text, which is of an object, and stays one however long it is. */
  replaced(): string {
    return this.#entries(false) ?? this.text;
  }

  /** What stands for the value at this place; nothing when it stays as it is. */
  #value(): string | undefined {
    const start = this.#at;
    const changed = this.#inside();
    if ((changed?.length ?? this.#at - start) <= BIG) return changed;
    return blob(this.keep(changed ?? this.text.slice(start, this.#at)));
  }

  #inside(): string | undefined {
    const first = this.text.charAt(this.#at);
    if (first === "{" || first === "[") return this.#entries(true);
    if (first === '"') this.#at = endOfString(this.text, this.#at);
    else {
      LITERAL.lastIndex = this.#at;
      LITERAL.test(this.text);
      this.#at = LITERAL.lastIndex;
    }
    return undefined;
  }

  /** `isValue`: an author's own value, which may have the key of a mark. */
  #entries(isValue: boolean): string | undefined {
    const text = this.text;
    const start = this.#at++;
    const isMapping = text.charAt(start) === "{";
    let [isMarked, out, from] = [false, "", start];
    const isEmpty = /[\]}]/.test(text.charAt(this.#at));
    if (isEmpty) this.#at++;
    for (let isOver = isEmpty; !isOver; isOver = text.charAt(this.#at++) !== ",") {
      if (isMapping) {
        if (text.startsWith(QUOTED_MARK, this.#at)) isMarked = isValue;
        this.#at = endOfString(text, this.#at) + 1;
      }
      const place = this.#at;
      const changed = this.#value();
      if (changed === undefined) continue;
      out += text.slice(from, place) + changed;
      from = this.#at;
    }
    if (isMarked) return inline(out + text.slice(from, this.#at));
    return from === start ? undefined : out + text.slice(from, this.#at);
  }
}

/** The same from the data itself, which is too long for one text: each part becomes one as it is come to. */
export const keepBigOf = (data: object, keep: Keep): string => `{${entriesOf(data as Record<string, unknown>, keep)}}`;

function resolve(value: unknown, fetch: Fetch): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => resolve(inner, fetch));
  const name = value[MARK];
  if (name === INLINE) return resolveEntries(value.value as Record<string, unknown>, fetch);
  if (typeof name === "string") return decodeText(fetch(name), fetch);
  return resolveEntries(value, fetch);
}

const resolveEntries = (value: Record<string, unknown>, fetch: Fetch): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, fetch)]));

function decodeText(text: string, fetch: Fetch): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes(QUOTED_MARK) ? resolve(value, fetch) : value;
}

/** The names of what a text has outside, as `fetchBig` would ask for them. Also of a whole row, or of a value kept outside. */
export function blobNamesIn(text: string): readonly string[] {
  if (!text.includes(QUOTED_MARK)) return [];
  const names: string[] = [];
  resolve(JSON.parse(text), (name) => {
    names.push(name);
    return "null";
  });
  return names;
}

/** Whether a text speaks of blobs. Asked once for a whole row: a resume may record thousands of events in one. */
export const speaksOfBlobs = (text: string): boolean => text.includes(QUOTED_MARK);

/** The other way: data with what was kept outside in its place. */
export const fetchBig = <Data>(data: Data, fetch: Fetch): Data =>
  resolveEntries(data as Record<string, unknown>, fetch) as Data;

// Large texts of a value that are read back from where they are kept whenever they are looked at, instead of being held.

/** Outputs of scripts have their texts one level below: deeper ones are held. */
const DEEPEST = 3;
/** Entries of one object that are looked at: what has more is made of short ones. */
const MOST_ENTRIES = 1_000;

const isPlain = (value: unknown): value is Record<string, unknown> | unknown[] => {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
};

/** Characters of all long texts in it that are in memory. Asked after every step. */
export function lengthOfLongTexts(holder: object, level = 0): number {
  const lates = latesOf(holder);
  let [length, looked] = [0, 0];
  for (const key in holder) {
    if (looked++ >= MOST_ENTRIES) break;
    const value = lates?.has(key) ? undefined : (holder as Record<string, unknown>)[key];
    if (typeof value === "string") length += value.length > BIG ? value.length : 0;
    else if (level < DEEPEST && isPlain(value)) length += lengthOfLongTexts(value, level + 1);
  }
  return length;
}

/** A copy in which long texts are late, as `late` makes them; itself where there are none. */
export function withLates<Holder extends object>(holder: Holder, late: (text: string) => Late, level = 0): Holder {
  const lates = latesOf(holder);
  let copy: Holder | undefined;
  for (const key of Object.keys(holder).slice(0, MOST_ENTRIES)) {
    const value = lates?.has(key) ? undefined : (holder as Record<string, unknown>)[key];
    if (typeof value === "string" && value.length > BIG) {
      copy ??= copied(holder);
      setLate(copy, key, late(value));
    } else if (level < DEEPEST && isPlain(value)) {
      const inner = withLates(value, late, level + 1);
      if (inner === value) continue;
      copy ??= copied(holder);
      (copy as Record<string, unknown>)[key] = inner;
    }
  }
  return copy ?? holder;
}

/** With what is late in it as it is. */
function copied<Holder extends object>(holder: Holder): Holder {
  const copy = (Array.isArray(holder) ? [] : {}) as Holder;
  for (const key of Object.keys(holder)) copyEntry(holder, key, copy, key);
  return copy;
}
