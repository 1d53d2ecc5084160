// `{% macro %}` and `{% call %}`, and how calls hand over their arguments.
import { fail } from "../error.ts";
import { nested, spend, spendText } from "../limits.ts";
import type { Arguments, Body, ExprOf, Parameter, Span, StatementOf } from "../syntax/ast.ts";
import { Dict, entriesOf, isDictionary, iterate } from "../values/dict.ts";
import { str } from "../values/repr.ts";
import { type Args, Callable, type Host, type Operation, Thing } from "../values/thing.ts";
import { aTypeWord, raiseUndefined, textOf, tuple, tupleOf, Undefined, type Value } from "../values/value.ts";
import { at, type Compiler, type Evaluate, type Execute, type Frame, Output } from "./frame.ts";
import { namesReadIn } from "./paths.ts";

interface MacroShape {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly fallback: Evaluate | undefined }[];
  readonly body: Execute;
  /** Which of the special names the body reads; extra arguments are an error otherwise. */
  readonly reads: ReadonlySet<string>;
}

function compileShape(compiler: Compiler, name: string, parameters: readonly Parameter[], body: Body): MacroShape {
  return {
    name,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      fallback: parameter.fallback && at(compiler, parameter.fallback, compiler.expression(parameter.fallback)),
    })),
    body: compiler.body(body),
    reads: namesReadIn(body),
  };
}

function makeMacro(shape: MacroShape, frame: Frame): Callable {
  const attributes = new Map<string, Value>([
    ["name", shape.name],
    ["arguments", tupleOf(shape.parameters.map(({ name }) => name))],
    ["caller", shape.reads.has("caller")],
    ["catch_kwargs", shape.reads.has("kwargs")],
    ["catch_varargs", shape.reads.has("varargs")],
  ]);
  return new Callable(
    shape.name,
    (args) => nested(() => runMacro(shape, frame, args)),
    attributes,
    `<Macro '${shape.name}'>`,
  );
}

function runMacro(shape: MacroShape, outer: Frame, args: Args): string {
  const frame = outer.inner();
  const named = new Map(args.named);
  shape.parameters.forEach(({ name }, i) => {
    const given = i < args.positional.length ? args.positional[i] : named.get(name);
    if (i < args.positional.length && named.has(name))
      fail("type", `The macro '${shape.name}' was given '${name}' twice.`);
    named.delete(name);
    if (given !== undefined) frame.set(name, given);
  });
  bindSpecial(shape, frame, args, named);
  for (const { name, fallback } of shape.parameters) {
    if (frame.has(name)) continue;
    frame.set(name, fallback ? fallback(frame) : notGiven(shape.name, name));
  }
  const out = new Output();
  shape.body(frame, out);
  return out.text;
}

function bindSpecial(shape: MacroShape, frame: Frame, args: Args, named: Map<string, Value>): void {
  const extra = args.positional.slice(shape.parameters.length);
  if (shape.reads.has("caller")) {
    const message = `The macro '${shape.name}' was not used with {% call %}, so there is no 'caller'.`;
    frame.set("caller", named.get("caller") ?? new Undefined({ path: "caller", missing: "caller", message }));
    named.delete("caller");
  }
  if (shape.reads.has("varargs")) frame.set("varargs", tuple(...extra));
  else if (extra.length > 0)
    fail("type", `The macro '${shape.name}' takes at most ${shape.parameters.length} argument(s).`);
  if (shape.reads.has("kwargs")) {
    const rest = new Dict();
    for (const [name, value] of named) rest.set(name, value);
    frame.set("kwargs", rest);
  } else if (named.size > 0) {
    fail("type", `The macro '${shape.name}' has no argument '${[...named.keys()][0]}'.`);
  }
}

const notGiven = (macro: string, name: string): Undefined =>
  new Undefined({
    path: name,
    missing: name,
    message: `The argument '${name}' of the macro '${macro}' was not given.`,
  });

export function compileMacro(compiler: Compiler, node: StatementOf<"macro">): Execute {
  const shape = compileShape(compiler, node.name, node.parameters, node.body);
  return (frame) => frame.set(node.name, makeMacro(shape, frame));
}

export function compileCallBlock(compiler: Compiler, node: StatementOf<"call-block">): Execute {
  const { callee } = node.call;
  const shape = compileShape(compiler, "caller", node.parameters, node.body);
  const target = compiler.expression(callee);
  const args = compileArguments(compiler, compiler.positions.source.slice(callee.start, callee.end), node.call.args);
  const span: Span = node.call;
  const call = at(compiler, span, (frame: Frame): string => {
    const given = args(frame);
    const named = new Map(given.named).set("caller", makeMacro(shape, frame));
    return str(invoke(target(frame), { ...given, named }, frame.run.host));
  });
  return (frame, out) => out.write(call(frame));
}

const NO_NAMED: ReadonlyMap<string, Value> = new Map();

function compileArguments(compiler: Compiler, callee: string, args: Arguments): (frame: Frame) => Args {
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

function invoke(value: Value, args: Args, host: Host): Value {
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
