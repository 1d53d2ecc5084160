// Redaction of values: the value itself where nothing has to go, a copy of what changed otherwise. The original is
// never touched. Values may be shared, cyclic, or nested deeper than the stack; those take the slower road below.
import { LazyList } from "../json/pieces.ts";
import { authored, byName, isData, markOf } from "./answer.ts";
import type { Secrecy } from "./keys.ts";

export interface KeyVerdict {
  /** The key's own text, redacted. */
  readonly name: string;
  readonly secrecy: Secrecy;
}

export interface WalkRules {
  text(text: string): string;
  number(value: number): unknown;
  key(name: string): KeyVerdict;
  readonly mark: string;
  /** Of answers: fields that are left as they are, and the rules for data in them and for what is marked. */
  readonly answers?: {
    readonly isOwnField: (name: string, value: unknown) => boolean;
    readonly data: WalkRules;
    readonly author: WalkRules;
    readonly names: WalkRules;
  };
}

const DEEPEST = 200;
/** From this many nodes on, shared parts are remembered, so that a small value with many paths does not take for ever. */
const SMALL = 2_000;

class TooDeep extends Error {}

export function redactValue(value: unknown, rules: WalkRules): unknown {
  if (typeof value === "string") return rules.text(value);
  if (typeof value !== "object" || value === null) return typeof value === "number" ? rules.number(value) : value;
  try {
    return new Walk(rules).object(value, 0);
  } catch (error) {
    if (error instanceof TooDeep) return copyOf(value, rules);
    throw error;
  }
}

/** Values without content of their own to redact: null, true and false tell nothing about a secret. */
const isTelling = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== "boolean" && value !== "";

/** Hides the texts of a value under a plural name, and of what it holds; counts stay. */
function withoutTexts(value: unknown, mark: string, depth = 0): unknown {
  if (typeof value === "string") return value === "" ? value : mark;
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return mark;
  if (Array.isArray(value)) return value.map((entry) => withoutTexts(entry, mark, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(plainly(value) ?? {}))
    put(copy, name, withoutTexts(entry, mark, depth + 1));
  return copy;
}

/** The value under a secret-looking name; nothing when the name says nothing about it. */
function hiddenBy(secrecy: Secrecy, value: unknown, mark: string): { readonly shown: unknown } | undefined {
  if (secrecy === "none" || !isTelling(value)) return undefined;
  if (secrecy === "all") return { shown: mark };
  return typeof value === "number" ? undefined : { shown: withoutTexts(value, mark) };
}

class Walk {
  private nodes = 0;
  private memo: Map<object, unknown> | null = null;

  constructor(private readonly rules: WalkRules) {}

  private any(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.rules.text(value);
    if (typeof value === "object" && value !== null) return this.object(value, depth);
    return typeof value === "number" ? this.rules.number(value) : value;
  }

  private field(name: string, value: unknown, depth: number): unknown {
    const { answers } = this.rules;
    const isMarked = typeof value === "object" && value !== null && markOf(value) !== undefined;
    return answers && !isMarked && isData(name) ? redactValue(value, answers.data) : this.any(value, depth);
  }

  object(value: object, depth: number): unknown {
    if (depth > DEEPEST) throw new TooDeep();
    const { answers } = this.rules;
    const mark = answers && markOf(value);
    if (mark === "author") return authored(redactValue(value, answers!.author));
    if (mark === "names") return byName(redactValue(value, answers!.names));
    if (value instanceof LazyList) return value.map((entry) => redactValue(entry, this.rules));
    if (++this.nodes > SMALL) this.memo ??= new Map();
    const known = this.memo?.get(value);
    if (known !== undefined) return known;
    const out = Array.isArray(value) ? this.list(value, depth) : this.record(value, depth);
    this.memo?.set(value, out);
    return out;
  }

  private list(list: readonly unknown[], depth: number): unknown {
    let copy: unknown[] | null = null;
    for (let index = 0; index < list.length; index++) {
      const before = list[index];
      const after = this.any(before, depth + 1);
      if (Object.is(after, before)) continue;
      copy ??= [...list];
      copy[index] = after;
    }
    return copy ?? list;
  }

  private record(value: object, depth: number): unknown {
    const source = plainly(value);
    if (source === null) return value;
    let changed = source !== value;
    const entries: Record<string, unknown> = source;
    let changes: Map<string, unknown> | null = null;
    let renamed = false;
    const { answers } = this.rules;
    for (const name in entries) {
      const verdict = this.rules.key(name);
      if (verdict.name !== name) renamed = true;
      const before = entries[name];
      if (answers?.isOwnField(name, before)) continue;
      const hidden = hiddenBy(verdict.secrecy, before, this.rules.mark);
      const after = hidden ? hidden.shown : this.field(name, before, depth + 1);
      if (Object.is(after, before)) continue;
      changes ??= new Map();
      changes.set(name, after);
    }
    if (changes || renamed) changed = true;
    if (!changed) return value;
    const copy: Record<string, unknown> = {};
    for (const name in entries)
      put(copy, this.rules.key(name).name, changes?.has(name) ? changes.get(name) : entries[name]);
    return copy;
  }
}

/** Sets a key as data, also one named `__proto__`; a name that two keys were redacted to keeps both. */
function put(copy: Record<string, unknown>, name: string, value: unknown): void {
  let free = name;
  for (let count = 2; Object.hasOwn(copy, free); count++) free = `${name} ${count}`;
  if (free === "__proto__")
    Object.defineProperty(copy, free, { value, enumerable: true, writable: true, configurable: true });
  else copy[free] = value;
}

/** An object as the record that would leave the process; null for those without readable content. */
function plainly(value: object): Record<string, unknown> | null {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return value as Record<string, unknown>;
  if (value instanceof Date || ArrayBuffer.isView(value)) return null;
  if (value instanceof Error) return { ...value, name: value.name, message: value.message };
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [String(key), entry]));
  if (value instanceof Set) return { values: [...value] };
  if (value instanceof URL) return { href: value.href };
  return { ...value };
}

/** The slower road: a whole copy with its shape, cycles included, without recursion. */
function copyOf(root: object, rules: WalkRules): unknown {
  const copies = new Map<object, unknown>();
  const open: object[] = [];
  const copied = (value: unknown): unknown => {
    if (typeof value === "string") return rules.text(value);
    if (typeof value === "number") return rules.number(value);
    if (typeof value !== "object" || value === null) return value;
    if (!copies.has(value)) {
      copies.set(value, Array.isArray(value) ? [] : plainly(value) === null ? value : {});
      open.push(value);
    }
    return copies.get(value);
  };
  const out = copied(root);
  for (let value = open.pop(); value; value = open.pop()) {
    const copy = copies.get(value);
    if (copy === value) continue;
    if (Array.isArray(value)) {
      for (const entry of value) (copy as unknown[]).push(copied(entry));
      continue;
    }
    for (const [name, entry] of Object.entries(plainly(value) ?? {})) {
      const verdict = rules.key(name);
      const hidden = hiddenBy(verdict.secrecy, entry, rules.mark);
      put(copy as Record<string, unknown>, verdict.name, hidden ? hidden.shown : copied(entry));
    }
  }
  return out;
}
