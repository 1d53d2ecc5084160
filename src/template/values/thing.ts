// Functions and the few objects of Jinja2 (`loop`, a namespace, an imported template), and how they take arguments.
// Besides data they alone can be called or have attributes, and each says itself which: no way leads to JavaScript's.

import { fail } from "../error.ts";
import { indexOf, numberOf } from "./numbers.ts";
import { aTypeWord, Internal, type Kind, raiseUndefined, textOf, Undefined, type Value } from "./value.ts";

export interface Args {
  /** For messages. */
  readonly callee: string;
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** Filters, tests and functions: what they do to values. */
export interface Operation {
  (input: Value, args: Args, host: Host): Value;
  /** Names of its arguments, `width?` for one that may be left out; absent where it takes any. */
  readonly parameters?: readonly string[];
}

/** Operations by the names that templates call them. */
export const byName = (operations: Readonly<Record<string, Operation>>): ReadonlyMap<string, Operation> =>
  new Map(Object.entries(operations));

/** What operations may need of the engine; handed to them, so that they do not import it. */
export interface Host {
  attribute(value: Value, name: string): Value;
  item(value: Value, key: Value): Value;
  filter(name: string): Operation | undefined;
  test(name: string): Operation | undefined;
  /** A number below `size`, the same in every render of the same template. */
  pick(size: number): number;
}

export class Callable extends Internal {
  readonly kind: Kind = "callable";
  constructor(
    readonly name: string,
    readonly invoke: (args: Args, host: Host) => Value,
    readonly attributes: ReadonlyMap<string, Value> = new Map(),
    readonly text = `<function ${name}>`,
  ) {
    super();
  }
}

/** A method of some data, not yet called. */
export class Method extends Callable {
  constructor(
    name: string,
    readonly owner: Value,
    invoke: (args: Args, host: Host) => Value,
  ) {
    super(name, invoke);
  }
}

export abstract class Thing extends Internal {
  readonly kind: Kind = "object";
  /** The attribute, or undefined. */
  abstract attribute(name: string): Value;
  abstract names(): readonly string[];
  abstract readonly text: string;
  invoke: ((args: Args, host: Host) => Value) | undefined = undefined;
}

/** `operation(["width?", "fill"], …)`: a question mark makes a parameter optional. */
export function operation(
  parameters: readonly string[],
  run: (input: Value, args: readonly Value[], host: Host) => Value,
): Operation {
  const names = parameters.map((parameter) => parameter.replace("?", ""));
  const required = parameters.filter((parameter) => !parameter.endsWith("?")).length;
  const called: Operation = (input, args, host) => run(input, bind(args, names, required), host);
  return Object.assign(called, { parameters });
}

function bind(args: Args, names: readonly string[], required: number): readonly Value[] {
  const { callee, positional, named } = args;
  if (positional.length > names.length) {
    fail("type", `'${callee}' takes at most ${names.length} argument(s), not ${positional.length}.`);
  }
  if (named.size === 0) {
    if (positional.length < required) missingArgument(callee, names[positional.length]);
    return positional;
  }
  const bound: Value[] = [...positional];
  for (const [name, value] of named) {
    const index = names.indexOf(name);
    if (index < 0)
      fail("type", `'${callee}' has no argument '${name}'.${names.length > 0 ? ` It has: ${names.join(", ")}.` : ""}`);
    if (index < positional.length) fail("type", `'${callee}' was given '${name}' twice.`);
    bound[index] = value;
  }
  for (let i = 0; i < required; i++) if (bound[i] === undefined) missingArgument(callee, names[i]);
  return bound;
}

function missingArgument(callee: string, name: string | undefined): never {
  fail("type", `'${callee}' needs the argument '${name}'.`);
}

/** Reads an argument that must be a whole number. */
export function wholeNumber(value: Value, fallback: number): number {
  if (value === undefined) return fallback;
  if (value instanceof Undefined) return raiseUndefined(value);
  return indexOf(value) ?? fail("type", `A whole number is needed here, not ${aTypeWord(value)}.`);
}

export function anyNumber(value: Value): number {
  if (value instanceof Undefined) return raiseUndefined(value);
  return numberOf(value) ?? fail("type", `A number is needed here, not ${aTypeWord(value)}.`);
}

/** Reads an argument that must be text. */
export function textArgument(value: Value, fallback?: string): string {
  if (value === undefined && fallback !== undefined) return fallback;
  if (value instanceof Undefined) return raiseUndefined(value);
  return textOf(value) ?? fail("type", `Text is needed here, not ${aTypeWord(value)}.`);
}
