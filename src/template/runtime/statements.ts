// Turns statements into functions that write to an output.

import { FILTERS } from "../filters/filters.ts";
import type { Body, FilterStep, Statement } from "../syntax/ast.ts";
import { isTrue } from "../values/compare.ts";
import { str } from "../values/repr.ts";
import type { Value } from "../values/value.ts";
import { compileOperation } from "./calls.ts";
import { at, type Compiler } from "./compiler.ts";
import { type Execute, type Frame, Output } from "./frame.ts";
import { assign, compileFor } from "./loop.ts";
import { compileCallBlock, compileMacro } from "./macros.ts";
import { compileBlock, compileExtends, compileFromImport, compileImport, compileInclude } from "./templates.ts";

export function compileBody(compiler: Compiler, body: Body): Execute {
  const parts = body.map((statement) => compileStatement(compiler, statement));
  const [first, second] = parts;
  if (!first) return () => {};
  if (!second) return first;
  return (frame, out) => {
    for (const part of parts) part(frame, out);
  };
}

function compileStatement(compiler: Compiler, node: Statement): Execute {
  switch (node.type) {
    case "text": {
      const { text } = node;
      return (_frame, out) => out.write(text);
    }
    case "output": {
      const value = compiler.expression(node.value);
      return at(compiler, node, (frame: Frame, out: Output) => out.write(str(value(frame))));
    }
    case "if":
      return compileIf(compiler, node);
    case "for":
      return compileFor(compiler, node);
    case "set": {
      const value = compiler.expression(node.value);
      return at(compiler, node.value, (frame: Frame) => assign(frame, node.target, value(frame)));
    }
    case "set-block": {
      const capture = compileCapture(compiler, node.body, node.filters);
      return at(compiler, node, (frame: Frame) => assign(frame, node.target, capture(frame)));
    }
    case "filter-block": {
      const capture = compileCapture(compiler, node.body, node.filters);
      return at(compiler, node, (frame: Frame, out: Output) => out.write(str(capture(frame))));
    }
    case "with":
      return compileWith(compiler, node);
    case "do": {
      const value = compiler.expression(node.value);
      return at(compiler, node.value, (frame: Frame) => void value(frame));
    }
    case "macro":
      return compileMacro(compiler, node);
    case "call-block":
      return compileCallBlock(compiler, node);
    case "include":
      return compileInclude(compiler, node);
    case "import":
      return compileImport(compiler, node);
    case "from-import":
      return compileFromImport(compiler, node);
    case "extends":
      return compileExtends(compiler, node.name);
    case "block":
      return compileBlock(node);
  }
}

function compileIf(compiler: Compiler, node: Extract<Statement, { type: "if" }>): Execute {
  const branches = node.branches.map(({ condition, body }) => {
    const value = compiler.expression(condition);
    return { holds: at(compiler, condition, (frame: Frame) => isTrue(value(frame))), body: compiler.body(body) };
  });
  const otherwise = node.otherwise && compiler.body(node.otherwise);
  return (frame, out) => {
    for (const { holds, body } of branches) {
      if (holds(frame)) return body(frame, out);
    }
    otherwise?.(frame, out);
  };
}

/** The bindings are evaluated outside: in `with a=1, b=a` the second `a` is the outer one. */
function compileWith(compiler: Compiler, node: Extract<Statement, { type: "with" }>): Execute {
  const bindings = node.bindings.map(({ target, value }) => {
    const evaluate = compiler.expression(value);
    return { bind: at(compiler, value, (outer: Frame, inner: Frame) => assign(inner, target, evaluate(outer))) };
  });
  const body = compiler.body(node.body);
  return (frame, out) => {
    const inner = frame.inner();
    for (const { bind } of bindings) bind(frame, inner);
    body(inner, out);
  };
}

function compileCapture(compiler: Compiler, body: Body, filters: readonly FilterStep[]): (frame: Frame) => Value {
  const execute = compiler.body(body);
  const steps = filters.map(({ name, args }) => compileOperation(compiler, FILTERS.get(name)!, name, args));
  return (frame) => {
    const out = new Output();
    const inner = frame.inner();
    execute(inner, out);
    return steps.reduce<Value>((value, apply) => apply(value, inner), out.text);
  };
}
