// Arguments, and calling what can be called.

import { fail } from "../error.ts";
import { spend, spendText } from "../limits.ts";
import type { Arguments, ExprOf } from "../syntax/ast.ts";
import { entriesOf, isDictionary } from "../values/dict.ts";
import { iterate } from "../values/iterate.ts";
import { textOf } from "../values/markup.ts";
import { str } from "../values/repr.ts";
import { type Args, Callable, type Host, type Operation, Thing } from "../values/thing.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import { aTypeWord, type Value } from "../values/value.ts";
import type { Compiler } from "./compiler.ts";
import type { Evaluate, Frame } from "./frame.ts";

const NO_NAMED: ReadonlyMap<string, Value> = new Map();

export function compileArguments(compiler: Compiler, callee: string, args: Arguments): (frame: Frame) => Args {
  const positional = args.positional.map((node) => compiler.expression(node));
  const named = args.named.map(({ name, value }) => ({ name, value: compiler.expression(value) }));
  if (positional.length + named.length === 0 && !args.spread && !args.spreadNamed) {
    const none: Args = { callee, positional: [], named: NO_NAMED };
    return () => none;
  }
  const spread = args.spread && compiler.expression(args.spread);
  const spreadNamed = args.spreadNamed && compiler.expression(args.spreadNamed);
  return (frame) => {
    const given = positional.map((evaluate) => evaluate(frame));
    if (spread) for (const item of iterate(spread(frame))) given.push(item);
    if (named.length === 0 && !spreadNamed) return { callee, positional: given, named: NO_NAMED };
    const byName = new Map<string, Value>();
    for (const { name, value } of named) addNamed(byName, callee, name, value(frame));
    if (spreadNamed) {
      const more = spreadNamed(frame);
      if (more instanceof Undefined) raiseUndefined(more);
      if (!isDictionary(more)) return fail("type", `'**' needs a mapping, not ${aTypeWord(more)}.`);
      for (const [key, value] of entriesOf(more)) addNamed(byName, callee, str(key), value);
    }
    return { callee, positional: given, named: byName };
  };
}

function addNamed(named: Map<string, Value>, callee: string, name: string, value: Value): void {
  if (named.has(name)) fail("type", `'${callee}' was given '${name}' twice.`);
  named.set(name, value);
}

export function invoke(value: Value, args: Args, host: Host): Value {
  spend(1);
  if ((value instanceof Callable || value instanceof Thing) && value.invoke) return paid(value.invoke(args, host));
  if (value instanceof Undefined) return raiseUndefined(value);
  return fail("type", `'${args.callee}' is ${aTypeWord(value)} and cannot be called.`);
}

/** Text that an operation has made is paid for by its length. */
export function paid(value: Value): Value {
  const text = textOf(value);
  if (text !== undefined) spendText(text.length);
  return value;
}

/**
 * A call. Data has no functions, so a name in front of parentheses that no tag has bound
 * is the engine's function of that name, even if a step is called `range`.
 */
export function compileCall(compiler: Compiler, node: ExprOf<"call">): Evaluate {
  const { callee } = node;
  const name = compiler.positions.source.slice(callee.start, callee.end);
  const args = compileArguments(compiler, name, node.args);
  const known =
    callee.type === "name" && !compiler.bound.has(callee.name) ? compiler.globals.get(callee.name) : undefined;
  const target = known === undefined ? compiler.expression(callee) : () => known;
  return (frame) => {
    const value = target(frame);
    return invoke(value, args(frame), frame.run.host);
  };
}

/** A filter or test on an input. */
export function compileOperation(
  compiler: Compiler,
  operation: Operation,
  name: string,
  args: Arguments,
): (input: Value, frame: Frame) => Value {
  const given = compileArguments(compiler, name, args);
  return (input, frame) => {
    spend(1);
    return paid(operation(input, given(frame), frame.run.host));
  };
}
