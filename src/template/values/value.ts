// What a template computes with: plain JSON as it was handed in, never copied, plus
// the classes of this folder for what Python has and JSON has not. Contexts are the
// caller's, so a value is `unknown` and every operation looks before it acts.
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
export function tupleOf(items: Value[]): Tuple {
  return Object.setPrototypeOf(items, Tuple.prototype);
}

export function tuple(...items: Value[]): Tuple {
  return tupleOf(items);
}

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
export function typeWord(value: Value): string {
  return WORDS[kindOf(value)];
}

/** The same with an article: "a list", "text", "none". */
export function aTypeWord(value: Value): string {
  const word = typeWord(value);
  return word === "none" || word === "text" || word === "undefined" ? word : `a${word === "object" ? "n" : ""} ${word}`;
}

/** What `groupby` gives: a pair that also answers to `.grouper` and `.list`. */
export class Group extends Tuple {}

export function groupOf(name: Value, items: Value): Group {
  return Object.setPrototypeOf([name, items], Group.prototype);
}
