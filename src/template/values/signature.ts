// Python calls by position or by name. Filters, tests, methods and functions state
// their parameters once and get an array back, with undefined where nothing was given.

import { fail } from "../error.ts";
import { textOf } from "./markup.ts";
import { indexOf, numberOf } from "./numbers.ts";
import type { Args, Host, Operation } from "./thing.ts";
import { raiseUndefined, Undefined } from "./undefined.ts";
import { aTypeWord, type Value } from "./value.ts";

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
