// What a template computes with: plain JSON as it was handed in, never copied, plus classes for what Python has and
// JSON has not: undefined, safe text, tuples. Contexts are the caller's, so every operation looks before it acts.
import { fail } from "../error.ts";

export type Value = unknown;

export type Kind =
  | "undefined"
  | "none"
  | "boolean"
  | "int"
  | "float"
  | "string"
  | "list"
  | "tuple"
  | "dict"
  | "range"
  | "view"
  | "generator"
  | "callable"
  | "object";

/** Base of every class of the engine, so that one check tells them from handed-in objects. */
export abstract class Internal {
  abstract readonly kind: Kind;
}

/** A Python tuple. It is an array, so whatever handles lists handles it; only its text and type differ. */
export class Tuple extends Array<Value> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** Makes a tuple of a new array. Changing the prototype is many times faster than copying into a subclass. */
export const tupleOf = (items: Value[]): Tuple => Object.setPrototypeOf(items, Tuple.prototype);

export const tuple = (...items: Value[]): Tuple => tupleOf(items);

export function isIntNumber(n: number): boolean {
  // From 1e21 on JavaScript itself writes a number with an exponent: such data was a float.
  return Number.isInteger(n) && Math.abs(n) < 1e21;
}

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return isIntNumber(value) ? "int" : "float";
    case "bigint":
      return "int";
    case "boolean":
      return "boolean";
    case "object":
      if (value === null) return "none";
      if (Array.isArray(value)) return value instanceof Tuple ? "tuple" : "list";
      return value instanceof Internal ? value.kind : "dict";
    default:
      return "none";
  }
}

const WORDS: Readonly<Record<Kind, string>> = {
  undefined: "undefined",
  none: "none",
  boolean: "boolean",
  int: "number",
  float: "number",
  string: "text",
  list: "list",
  tuple: "tuple",
  dict: "mapping",
  range: "range",
  view: "view of a mapping",
  generator: "generator",
  callable: "function",
  object: "object",
};

/** The type in words, for errors. */
export const typeWord = (value: Value): string => WORDS[kindOf(value)];

/** The same with an article: "a list", "text", "none". */
export function aTypeWord(value: Value): string {
  const word = typeWord(value);
  return word === "none" || word === "text" || word === "undefined" ? word : `a${word === "object" ? "n" : ""} ${word}`;
}

/** What `groupby` gives: a pair that also answers to `.grouper` and `.list`. */
export class Group extends Tuple {}

export const groupOf = (name: Value, items: Value): Group => Object.setPrototypeOf([name, items], Group.prototype);

interface Absence {
  readonly path?: string;
  readonly missing?: string;
  readonly parentPath?: string;
  readonly parentType?: string;
  /** Asked only when the error is raised. */
  readonly available?: () => readonly string[];
  readonly place?: () => { readonly line: number; readonly column: number; readonly template?: string };
  /** Said instead of the usual sentence, for what no path leads to: the first item of an empty list. */
  readonly message?: string;
}

export class Undefined extends Internal {
  readonly kind: Kind = "undefined";
  constructor(readonly absence: Absence) {
    super();
  }
}

/**
 * What `x if condition` without an else gives: undefined like the others, but it prints as
 * nothing, is false and is empty, as in Jinja2, because `{{ ", " if not loop.last }}` is common.
 */
export class Nothing extends Undefined {}

/** Of a name that the scope says `NOT_YET` of. */
export class NotYet extends Undefined {}

const SHOWN = 20;

export function raiseUndefined(value: Undefined, wholePath?: string): never {
  const { absence } = value;
  const available = absence.available?.();
  const path = wholePath ?? absence.path;
  return fail("undefined", absence.message ?? sentence(absence, path, available), {
    path,
    missing: absence.missing,
    parentPath: absence.parentPath,
    parentType: absence.parentType,
    available,
    ...absence.place?.(),
  });
}

function sentence(absence: Absence, path: string | undefined, available: readonly string[] | undefined): string {
  const { missing, parentPath, parentType } = absence;
  const known = parentPath === undefined ? missing : `${parentPath}.${missing}`;
  const whole = path === undefined || path === known ? "" : ` (in ${path})`;
  const there = available === undefined ? "" : listed(available);
  if (parentPath === undefined) return `'${missing}' is not defined${whole}.${there && ` Defined here: ${there}.`}`;
  if (parentType === "mapping") {
    return `'${parentPath}' has no field '${missing}'${whole}.${there ? ` It has: ${there}.` : " It is empty."}`;
  }
  const article = parentType === "none" || parentType === "text" ? "" : "a ";
  return `'${parentPath}' is ${article}${parentType}, which has no '${missing}'${whole}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

export class Markup extends Internal {
  readonly kind: Kind = "string";
  constructor(readonly text: string) {
    super();
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

export const escapeHtml = (text: string): string => text.replace(/[&<>'"]/g, (char) => ESCAPES[char]!);

/** The text of a text, or undefined for anything else. */
export function textOf(value: Value): string | undefined {
  if (typeof value === "string") return value;
  return value instanceof Markup ? value.text : undefined;
}

export const isText = (value: Value): value is string | Markup => typeof value === "string" || value instanceof Markup;

/** Gives a result the safety of what it was made from. */
export const like = (original: Value, text: string): string | Markup =>
  original instanceof Markup ? new Markup(text) : text;

/** What a scope answers for a name it does not have. */
export const MISSING: unique symbol = Symbol("missing");

/**
 * What a scope gives for a name that has no value yet and will have one: as undefined as any other, but `is defined` may be
 * asked of what stands below it, too.
 */
export const NOT_YET: unique symbol = Symbol("not yet");

export interface Scope {
  get(name: string): unknown;
  names(): string[];
}

export type Context = Record<string, unknown> | Scope;

const isScope = (context: Context): context is Scope =>
  typeof context.get === "function" && typeof context.names === "function";

/** Data has no functions and no holes; whatever else an object holds does not exist for a template. */
export const present = (value: unknown): unknown =>
  value === undefined || typeof value === "function" || typeof value === "symbol" ? MISSING : value;

export function scopeOf(context: Context): Scope {
  if (!isScope(context)) {
    return {
      get: (name) => (Object.hasOwn(context, name) ? present(context[name]) : MISSING),
      names: () => Object.keys(context),
    };
  }
  const presentOrNotYet = (value: unknown): unknown => (value === NOT_YET ? value : present(value));
  return { get: (name) => presentOrNotYet(context.get(name)), names: () => context.names() };
}
