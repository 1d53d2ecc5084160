// `a.b['c'][0]`: a chain of lookups is compiled as one, so that an error can name the
// whole of it however early it fails.

import { MISSING } from "../scope.ts";
import type { Expr, ExprOf } from "../syntax/ast.ts";
import { isDictionary, keysOf } from "../values/dict.ts";
import { str } from "../values/repr.ts";
import { raiseUndefined, Undefined } from "../values/undefined.ts";
import { typeWord, type Value } from "../values/value.ts";
import type { Compiler } from "./compiler.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { attribute, item } from "./lookup.ts";

interface Step {
  readonly name: string | undefined;
  readonly index: Evaluate | undefined;
  readonly node: ExprOf<"attribute"> | ExprOf<"item">;
}

/** A path as written, without parentheses around the whole of it. */
function pathText(compiler: Compiler, { start, end }: Expr): string {
  let text = compiler.positions.source.slice(start, end);
  while (text.startsWith("(") && text.endsWith(")")) text = text.slice(1, -1).trim();
  return text;
}

export function compileName(compiler: Compiler, node: ExprOf<"name">, whole: Expr = node): Evaluate {
  const { name } = node;
  const { positions, globals, unknownName } = compiler;
  const missing = (frame: Frame): Value => {
    const found = globals.get(name) ?? unknownName?.(name, frame);
    if (found !== undefined && found !== MISSING) return found;
    return new Undefined({
      path: pathText(compiler, whole),
      missing: name,
      available: () => frame.visibleNames(),
      place: () => positions.at(node.start),
    });
  };
  if (compiler.bound.has(name)) {
    return (frame) => {
      const value = frame.get(name);
      return value === MISSING ? missing(frame) : value;
    };
  }
  return (frame) => {
    const value = frame.run.scope.get(name);
    return value === MISSING ? missing(frame) : value;
  };
}

export function compilePath(compiler: Compiler, node: ExprOf<"attribute"> | ExprOf<"item">): Evaluate {
  const steps: Step[] = [];
  let base: Expr = node;
  while (base.type === "attribute" || base.type === "item") {
    const index = base.type === "item" ? compiler.expression(base.index) : undefined;
    steps.unshift({ name: base.type === "attribute" ? base.name : undefined, index, node: base });
    base = base.object;
  }
  const start = base.type === "name" ? compileName(compiler, base, node) : compiler.expression(base);
  const textOf = (span: Expr): string => pathText(compiler, span);

  const absent = (parent: Value, step: Step, key: Value): Undefined =>
    new Undefined({
      path: textOf(node),
      missing: str(key),
      parentPath: textOf(step.node.object),
      parentType: typeWord(parent),
      available: () => (isDictionary(parent) ? keysOf(parent).map(str) : []),
      place: () => compiler.positions.at(node.start),
    });

  return (frame) => {
    let value = start(frame);
    for (const step of steps) {
      if (value instanceof Undefined) return raiseUndefined(value);
      const key = step.index ? step.index(frame) : step.name!;
      const found = step.index ? item(value, key) : attribute(value, step.name!);
      value = found === MISSING ? absent(value, step, key) : found;
    }
    return value;
  };
}
