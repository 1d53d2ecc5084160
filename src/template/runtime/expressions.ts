// Turns an expression into a function, once; rendering then only calls functions.
import { fail, remark } from "../error.ts";
import { FILTERS, TESTS } from "../filters/filters.ts";
import type { Expr, ExprOf } from "../syntax/ast.ts";
import { charsOf, hasPairs } from "../values/characters.ts";
import { isTrue, numericHint, textArithmetic, textOrder } from "../values/compare.ts";
import { Dict } from "../values/dict.ts";
import { indexOf, inverted, negate } from "../values/numbers.ts";
import { binary, concat, holds } from "../values/operators.ts";
import { list, Range } from "../values/sequences.ts";
import {
  aTypeWord,
  isText,
  like,
  Nothing,
  raiseUndefined,
  Tuple,
  textOf,
  tupleOf,
  Undefined,
  type Value,
} from "../values/value.ts";
import type { Compiler, Evaluate } from "./frame.ts";
import { compileCall, compileOperation } from "./macros.ts";
import { compileName, compilePath } from "./paths.ts";

/** `a.b is defined` may be asked where not even `a` is there yet. */
function compileTested(compiler: Compiler, { name, input }: ExprOf<"test">): Evaluate {
  const isPath = input.type === "attribute" || input.type === "item";
  if (isPath && (name === "defined" || name === "undefined")) return compilePath(compiler, input, true);
  return compileExpression(compiler, input);
}

export function compileExpression(compiler: Compiler, node: Expr): Evaluate {
  const compile = (part: Expr): Evaluate => compileExpression(compiler, part);
  switch (node.type) {
    case "const": {
      const { value } = node;
      return () => value;
    }
    case "name":
      return compileName(compiler, node);
    case "attribute":
    case "item":
      return compilePath(compiler, node);
    case "slice": {
      const [object, from, to, step] = [node.object, node.from, node.to, node.step].map(
        (part) => part && compile(part),
      );
      return (frame) => slice(object?.(frame), from?.(frame), to?.(frame), step?.(frame));
    }
    case "call":
      return compileCall(compiler, node);
    case "filter":
    case "test": {
      const operation = (node.type === "filter" ? FILTERS : TESTS).get(node.name)!;
      const input = node.type === "test" ? compileTested(compiler, node) : compile(node.input);
      const apply = compileOperation(compiler, operation, node.name, node.args);
      return (frame) => apply(input(frame), frame);
    }
    case "list":
    case "tuple": {
      const items = node.items.map(compile);
      const make = node.type === "list" ? list : tupleOf;
      return (frame) => make(items.map((item) => item(frame)));
    }
    case "dict":
      return compileDict(node, compile);
    case "not": {
      const operand = compile(node.operand);
      return (frame) => !isTrue(operand(frame));
    }
    case "sign": {
      const operand = compile(node.operand);
      const apply = SIGNS[node.operator];
      return (frame) => signed(operand(frame), apply);
    }
    case "binary":
      return compileBinary(compiler, node, compile);
    case "and":
    case "or": {
      const [left, right] = [compile(node.left), compile(node.right)];
      const goesOn = node.type === "and";
      return (frame) => {
        const value = left(frame);
        return isTrue(value) === goesOn ? right(frame) : value;
      };
    }
    case "concat": {
      const parts = node.parts.map(compile);
      return (frame) => concat(parts.map((part) => part(frame)));
    }
    case "compare":
      return compileComparison(compiler, node, compile);
    case "choice":
      return compileChoice(compiler, node, compile);
  }
}

const SIGNS = { "-": negate, "+": positive, "~": inverted };

type Compile = (node: Expr) => Evaluate;

function compileDict(node: ExprOf<"dict">, compile: Compile): Evaluate {
  const entries = node.entries.map(({ key, value }) => ({ key: compile(key), value: compile(value) }));
  return (frame) => {
    const dict = new Dict();
    for (const { key, value } of entries) dict.set(key(frame), value(frame));
    return dict;
  };
}

const written = ({ positions }: Compiler, { start, end }: Expr): string => positions.source.slice(start, end);

function compileBinary(compiler: Compiler, node: ExprOf<"binary">, compile: Compile): Evaluate {
  const { operator } = node;
  const left = compile(node.left);
  const right = compile(node.right);
  const sources = [written(compiler, node.left), written(compiler, node.right)] as const;
  const source = written(compiler, node);
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const result = binary(operator, a, b);
    if (isText(result)) remark(() => textArithmetic(operator, { left: a, right: b, source, sources }));
    return result;
  };
}

/** `a < b < c` is `a < b and b < c` with b evaluated once. */
function compileComparison(compiler: Compiler, node: ExprOf<"compare">, compile: Compile): Evaluate {
  const source = written(compiler, node);
  const first = compile(node.first);
  const rest = node.rest.map(({ operator, value }) => ({ operator, value: compile(value) }));
  return (frame) => {
    let left = first(frame);
    for (const { operator, value } of rest) {
      const right = value(frame);
      const result = holds(operator, left, right);
      if (isText(right)) {
        const order = { left, right, source };
        remark(() => textOrder(operator, result, order));
      }
      if (!result) return false;
      left = right;
    }
    return true;
  };
}

function compileChoice(compiler: Compiler, node: ExprOf<"choice">, compile: Compile): Evaluate {
  const condition = compile(node.condition);
  const then = compile(node.then);
  const otherwise = node.otherwise && compile(node.otherwise);
  const text = compiler.positions.source.slice(node.start, node.end);
  const nothing = new Nothing({ path: text, message: `'${text}' has no else, and its condition is false.` });
  return (frame) => {
    if (isTrue(condition(frame))) return then(frame);
    return otherwise ? otherwise(frame) : nothing;
  };
}

function signed(value: Value, apply: (value: Value) => Value): Value {
  if (value instanceof Undefined) return raiseUndefined(value);
  return apply(value) ?? fail("type", `A sign needs a number behind it, not ${aTypeWord(value)}.${numericHint(value)}`);
}

function positive(value: Value): Value {
  const negative = negate(value);
  return negative === undefined ? undefined : negate(negative);
}

/** `xs[from:to:step]` on lists, tuples, texts and ranges. */
function slice(value: Value, from: Value, to: Value, step: Value): Value {
  const text = textOf(value);
  if (text !== undefined) {
    if (bound(step) === undefined && !hasPairs(text)) return like(value, text.slice(bound(from) ?? 0, bound(to)));
    const chars = charsOf(text);
    return like(value, pick(chars.length, from, to, step, (i) => chars[i]!).join(""));
  }
  if (Array.isArray(value)) {
    const items = pick<Value>(value.length, from, to, step, (i) => value[i]);
    return value instanceof Tuple ? tupleOf(items) : list(items);
  }
  if (value instanceof Range) return sliceRange(value, from, to, step);
  if (value instanceof Undefined) raiseUndefined(value);
  return fail("type", `${aTypeWord(value)} cannot be sliced; a list or text can.`);
}

function pick<T>(length: number, from: Value, to: Value, step: Value, at: (index: number) => T): T[] {
  const { start, end, by } = extent(length, from, to, step);
  const picked: T[] = [];
  for (let i = start; by > 0 ? i < end : i > end; i += by) picked.push(at(i));
  return picked;
}

function sliceRange(range: Range, from: Value, to: Value, step: Value): Range {
  const { start, end, by } = extent(range.length, from, to, step);
  return new Range(range.at(start), range.at(end), range.step * by);
}

function extent(length: number, from: Value, to: Value, step: Value) {
  const by = bound(step) ?? 1;
  if (by === 0) fail("type", "The step of a slice cannot be 0.");
  const lowest = by > 0 ? 0 : -1;
  const highest = by > 0 ? length : length - 1;
  const clamp = (index: number | undefined, fallback: number): number => {
    if (index === undefined) return fallback;
    return Math.min(Math.max(index < 0 ? index + length : index, lowest), highest);
  };
  const start = clamp(bound(from), by > 0 ? lowest : highest);
  const end = clamp(bound(to), by > 0 ? highest : lowest);
  return { start, end, by };
}

function bound(value: Value): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Undefined) return raiseUndefined(value);
  return indexOf(value) ?? fail("type", `A slice needs whole numbers, not ${aTypeWord(value)}.`);
}
