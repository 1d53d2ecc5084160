// `{% macro %}` and `{% call %}`.

import { fail } from "../error.ts";
import { nested } from "../limits.ts";
import type { Body, CallBlockNode, MacroNode, Parameter, Span } from "../syntax/ast.ts";
import { Dict } from "../values/dict.ts";
import { str } from "../values/repr.ts";
import { type Args, Callable } from "../values/thing.ts";
import { Undefined } from "../values/undefined.ts";
import { tuple, tupleOf, type Value } from "../values/value.ts";
import { compileArguments, invoke } from "./calls.ts";
import { at, type Compiler } from "./compiler.ts";
import { type Evaluate, type Execute, type Frame, Output } from "./frame.ts";
import { namesReadIn } from "./names-read.ts";

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
    frame.set(
      "caller",
      named.get("caller") ??
        new Undefined({
          path: "caller",
          missing: "caller",
          message: `The macro '${shape.name}' was not used with {% call %}, so there is no 'caller'.`,
        }),
    );
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

function notGiven(macro: string, name: string): Undefined {
  return new Undefined({
    path: name,
    missing: name,
    message: `The argument '${name}' of the macro '${macro}' was not given.`,
  });
}

export function compileMacro(compiler: Compiler, node: MacroNode): Execute {
  const shape = compileShape(compiler, node.name, node.parameters, node.body);
  return (frame) => frame.set(node.name, makeMacro(shape, frame));
}

export function compileCallBlock(compiler: Compiler, node: CallBlockNode): Execute {
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
