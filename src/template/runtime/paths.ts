// `a.b['c'][0]`: a chain of lookups is compiled as one, so that an error can name the whole of it however early it
// fails. And which names a template reads at all.
import { methodOf } from "../methods/methods.ts";
import {
  argumentsOf,
  type Body,
  childrenOf,
  type Expr,
  type ExprOf,
  type FilterStep,
  type Parameter,
  type Statement,
} from "../syntax/ast.ts";
import { charsOf, hasPairs } from "../values/characters.ts";
import { entryOf, isDictionary, keysOf } from "../values/dict.ts";
import { indexOf } from "../values/numbers.ts";
import { str } from "../values/repr.ts";
import { Range } from "../values/sequences.ts";
import { Callable, Thing } from "../values/thing.ts";
import {
  Group,
  Internal,
  like,
  MISSING,
  NOT_YET,
  NotYet,
  raiseUndefined,
  textOf,
  typeWord,
  Undefined,
  type Value,
} from "../values/value.ts";
import type { Compiler, Evaluate, Frame } from "./frame.ts";

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
  const missing = (frame: Frame, Kind: typeof Undefined = Undefined): Value => {
    const found = globals.get(name) ?? unknownName?.(name, frame);
    if (found !== undefined && found !== MISSING) return found;
    return new Kind({
      path: pathText(compiler, whole),
      missing: name,
      available: () => frame.visibleNames(),
      place: () => positions.at(node.start),
    });
  };
  if (compiler.bound.has(name)) {
    return (frame) => {
      const value = frame.get(name);
      return value === MISSING ? missing(frame) : value === NOT_YET ? missing(frame, NotYet) : value;
    };
  }
  return (frame) => {
    const value = frame.run.scope.get(name);
    return value === MISSING ? missing(frame) : value === NOT_YET ? missing(frame, NotYet) : value;
  };
}

/** `isTested`: it is only asked whether the path is defined. */
export function compilePath(
  compiler: Compiler,
  node: ExprOf<"attribute"> | ExprOf<"item">,
  isTested = false,
): Evaluate {
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
    if (isTested && value instanceof NotYet) return value;
    for (const step of steps) {
      if (value instanceof Undefined) return raiseUndefined(value);
      const key = step.index ? step.index(frame) : step.name!;
      const found = step.index ? item(value, key) : attribute(value, step.name!);
      value = found === MISSING ? absent(value, step, key) : found;
    }
    return value;
  };
}

// `a.b` and `a[b]`. Data is looked at first, then the closed list of methods; keys win
// over methods, and nothing that JavaScript inherits can be reached.

/** The attribute of a value, or MISSING. */
export function attribute(value: Value, name: string): Value {
  if (isDictionary(value)) {
    const entry = entryOf(value, name);
    if (entry !== MISSING) return entry;
  } else if (value instanceof Internal) {
    if (value instanceof Undefined) return raiseUndefined(value);
    if (value instanceof Thing) return value.attribute(name) ?? MISSING;
    if (value instanceof Callable) return value.attributes.get(name) ?? MISSING;
  }
  if (value instanceof Group) {
    if (name === "grouper") return value[0];
    if (name === "list") return value[1];
  }
  return methodOf(value, name) ?? MISSING;
}

/** The item of a value, or MISSING. A text that is no key may still name an attribute, as in Jinja2. */
export function item(value: Value, key: Value): Value {
  if (value instanceof Undefined) return raiseUndefined(value);
  if (key instanceof Undefined) return raiseUndefined(key);
  const name = textOf(key);
  if (name !== undefined) return attribute(value, name);
  if (isDictionary(value)) return entryOf(value, key);
  const index = indexOf(key);
  if (index === undefined) return MISSING;
  if (Array.isArray(value)) return value.at(index) ?? (hasIndex(value.length, index) ? null : MISSING);
  if (value instanceof Range) {
    return hasIndex(value.length, index) ? value.at(index < 0 ? index + value.length : index) : MISSING;
  }
  const text = textOf(value);
  if (text === undefined) return MISSING;
  const char = hasPairs(text) ? charsOf(text).at(index) : text.at(index);
  return char === undefined ? MISSING : like(value, char);
}

const hasIndex = (length: number, index: number): boolean => index < length && index >= -length;

export function namesReadIn(body: Body): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: Expr): void => {
    if (node.type === "name") names.add(node.name);
    childrenOf(node).forEach(visit);
  };
  const visitBody = (statements: Body): void => {
    for (const statement of statements) {
      expressionsOf(statement).forEach(visit);
      bodiesOf(statement).forEach(visitBody);
    }
  };
  visitBody(body);
  return names;
}

const ofFilters = (filters: readonly FilterStep[]): readonly Expr[] =>
  filters.flatMap((filter) => argumentsOf(filter.args));

const ofParameters = (parameters: readonly Parameter[]): readonly Expr[] =>
  parameters.flatMap(({ fallback }) => (fallback ? [fallback] : []));

/** The expressions a statement holds itself. */
function expressionsOf(node: Statement): readonly Expr[] {
  switch (node.type) {
    case "text":
    case "block":
      return [];
    case "output":
    case "set":
    case "do":
      return [node.value];
    case "if":
      return node.branches.map(({ condition }) => condition);
    case "for":
      return node.filter ? [node.over, node.filter] : [node.over];
    case "set-block":
    case "filter-block":
      return ofFilters(node.filters);
    case "macro":
      return ofParameters(node.parameters);
    case "call-block":
      return [node.call, ...ofParameters(node.parameters)];
    case "with":
      return node.bindings.map(({ value }) => value);
    case "include":
    case "import":
    case "from-import":
    case "extends":
      return [node.name];
  }
}

/** The bodies inside a statement. */
export function bodiesOf(node: Statement): readonly Body[] {
  switch (node.type) {
    case "if":
      return [...node.branches.map(({ body }) => body), ...(node.otherwise ? [node.otherwise] : [])];
    case "for":
      return node.otherwise ? [node.body, node.otherwise] : [node.body];
    case "set-block":
    case "filter-block":
    case "macro":
    case "call-block":
    case "with":
    case "block":
      return [node.body];
    default:
      return [];
  }
}
