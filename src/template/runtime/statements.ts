// Turns statements into functions that write to an output; loops and the binding of names among them.

import { fail } from "../error.ts";
import { FILTERS } from "../filters/filters.ts";
import { nested, spend } from "../limits.ts";
import type { Body, FilterStep, Statement, StatementOf, Target } from "../syntax/ast.ts";
import { isEqual, isTrue } from "../values/compare.ts";
import { itemsOf } from "../values/dict.ts";
import { str } from "../values/repr.ts";
import { type Args, Callable, Thing } from "../values/thing.ts";
import { Undefined, type Value } from "../values/value.ts";
import { at, type Compiler, type Execute, type Frame, Output } from "./frame.ts";
import { Namespace } from "./globals.ts";
import { compileCallBlock, compileMacro, compileOperation } from "./macros.ts";
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

const ATTRIBUTES: Readonly<Record<string, (loop: Loop) => Value>> = {
  index: (loop) => loop.at + 1,
  index0: (loop) => loop.at,
  revindex: (loop) => loop.items.length - loop.at,
  revindex0: (loop) => loop.items.length - loop.at - 1,
  first: (loop) => loop.at === 0,
  last: (loop) => loop.at === loop.items.length - 1,
  length: (loop) => loop.items.length,
  depth: (loop) => loop.depth + 1,
  depth0: (loop) => loop.depth,
  previtem: (loop) => neighbour(loop, -1, "There is no previous item."),
  nextitem: (loop) => neighbour(loop, 1, "There is no next item."),
  cycle: (loop) => new Callable("loop.cycle", (args) => loop.cycle(args)),
  changed: (loop) => new Callable("loop.changed", (args) => loop.changed(args)),
};

function neighbour(loop: Loop, distance: 1 | -1, message: string): Value {
  const index = loop.at + distance;
  if (index < 0 || index >= loop.items.length) return new Undefined({ message });
  return loop.items[index] ?? null;
}

class Loop extends Thing {
  at = 0;
  private last: readonly Value[] | undefined;

  constructor(
    readonly items: readonly Value[],
    readonly depth: number,
    recurse: ((items: Value, depth: number) => string) | undefined,
  ) {
    super();
    this.invoke = recurse && ((args) => recurse(args.positional[0], depth + 1));
  }

  attribute(name: string): Value {
    return Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name]!(this) : undefined;
  }

  names(): readonly string[] {
    return Object.keys(ATTRIBUTES);
  }

  get text(): string {
    return `<LoopContext ${this.at + 1}/${this.items.length}>`;
  }

  cycle({ positional }: Args): Value {
    if (positional.length === 0) fail("type", "'loop.cycle' needs items to cycle through.");
    return positional[this.at % positional.length];
  }

  changed({ positional }: Args): boolean {
    const same =
      this.last?.length === positional.length && this.last.every((value, i) => isEqual(value, positional[i]));
    this.last = positional;
    return !same;
  }
}

function compileFor(compiler: Compiler, node: StatementOf<"for">): Execute {
  const { target } = node;
  const over = at(compiler, node.over, compiler.expression(node.over));
  const filter = node.filter && at(compiler, node.filter, compiler.expression(node.filter));
  const body = compiler.body(node.body);
  const otherwise = node.otherwise && compiler.body(node.otherwise);
  const bind = at(compiler, node.over, assign);
  const collect = at(compiler, node.over, itemsOf);

  const walk = (frame: Frame, out: Output, value: Value, depth: number): void => {
    const all = collect(value);
    const items = filter ? all.filter((item) => passes(frame, item)) : all;
    if (items.length === 0) {
      otherwise?.(frame.inner(), out);
      return;
    }
    const loop = new Loop(items, depth, node.recursive ? (inner, level) => recurse(frame, inner, level) : undefined);
    // The length counts from the beginning: a body that appends to its own list ends all the same.
    for (let i = 0, count = items.length; i < count; i++) {
      spend(2);
      loop.at = i;
      const inner = frame.inner();
      inner.set("loop", loop);
      bind(inner, target, items[i] ?? null);
      body(inner, out);
    }
  };

  const passes = (frame: Frame, item: Value): boolean => {
    spend(1);
    const inner = frame.inner();
    assign(inner, target, item);
    return isTrue(filter!(inner));
  };

  const recurse = (frame: Frame, value: Value, depth: number): string =>
    nested(() => {
      const out = new Output();
      walk(frame, out, value, depth);
      return out.text;
    });

  return (frame, out) => walk(frame, out, over(frame), 0);
}

/** Binding names: `set`, loop variables, `with`. */
function assign(frame: Frame, target: Target, value: Value): void {
  switch (target.type) {
    case "name":
      frame.set(target.name, value);
      return;
    case "member": {
      const object = frame.get(target.object);
      if (!(object instanceof Namespace)) {
        fail("type", `'${target.object}' is no namespace: only of a namespace can a member be set.`);
      }
      object.set(target.name, value);
      return;
    }
    case "names": {
      const items = itemsOf(value);
      if (items.length !== target.targets.length) {
        fail("type", `${target.targets.length} names are to be set, but there are ${items.length} values.`);
      }
      target.targets.forEach((inner, i) => {
        assign(frame, inner, items[i]);
      });
    }
  }
}
