// Finds what an expression reads from the context.
import { type Arguments, argumentsOf, childrenOf, type Expr } from "../syntax/ast.ts";
import type { Positions } from "../syntax/token-stream.ts";

export class ExpressionWalker {
  readonly found: Reference[] = [];

  constructor(
    private readonly positions: Positions,
    private readonly functions: ReadonlyMap<string, unknown>,
  ) {}

  /** `guards` are the paths known to be defined here; `how` says what becomes of this very node if it is missing. */
  walk(node: Expr, names: Names, guards: readonly Path[], how: "tested" | "replaced" | "used" = "used"): void {
    const path = constantPath(node);
    if (path) {
      this.read(node, path, names, guards, how);
      return;
    }
    switch (node.type) {
      case "call":
        this.callee(node.callee, names, guards);
        this.walkArguments(node.args, names, guards);
        return;
      case "filter":
        this.walk(node.input, names, guards, node.name === "default" || node.name === "d" ? "replaced" : "used");
        this.walkArguments(node.args, names, guards);
        return;
      case "test":
        this.walk(node.input, names, guards, node.name === "defined" || node.name === "undefined" ? "tested" : "used");
        this.walkArguments(node.args, names, guards);
        return;
      case "and":
      case "or": {
        const { whenTrue, whenFalse } = this.guardsOf(node.left, names);
        this.walk(node.left, names, guards);
        this.walk(node.right, names, [...guards, ...(node.type === "and" ? whenTrue : whenFalse)]);
        return;
      }
      case "choice": {
        const { whenTrue, whenFalse } = this.guardsOf(node.condition, names);
        this.walk(node.condition, names, guards);
        this.walk(node.then, names, [...guards, ...whenTrue]);
        if (node.otherwise) this.walk(node.otherwise, names, [...guards, ...whenFalse]);
        return;
      }
      default:
        for (const child of childrenOf(node)) this.walk(child, names, guards);
    }
  }

  walkArguments(args: Arguments, names: Names, guards: readonly Path[]): void {
    for (const value of argumentsOf(args)) this.walk(value, names, guards);
  }

  /** What a condition says about paths of the context; bound names do not count. */
  guardsOf(condition: Expr, names: Names): Guards {
    return guardsOf(condition, (node) => {
      const path = completePath(node);
      return path && !names.has(String(path[0])) ? path : undefined;
    });
  }

  private read(
    node: Expr,
    found: ConstantPath,
    names: Names,
    guards: readonly Path[],
    how: "tested" | "replaced" | "used",
  ): void {
    const { path, inside } = found;
    for (const part of inside) this.walk(part, names, guards);
    if (names.has(String(path[0]))) return;
    const isKnown = guards.some((guard) => isPrefix(guard, path));
    const guarded = isKnown || how !== "used";
    const needsRoot = guarded && !isKnown && path.length > 1;
    const tested = how === "tested" ? { tested: true as const } : {};
    this.found.push({ path, ...this.positions.at(node.start), guarded, needsRoot, ...tested });
  }

  /** Data has no functions: what is called is the engine's, or a method, which is no part of the path. */
  private callee(node: Expr, names: Names, guards: readonly Path[]): void {
    if (node.type === "name" && this.functions.has(node.name)) return;
    this.walk(node.type === "attribute" ? node.object : node, names, guards);
  }
}

interface ConstantPath {
  readonly path: Path;
  /** Expressions inside brackets, which are read too. */
  readonly inside: readonly Expr[];
  readonly complete: boolean;
}

/** The constant beginning of a path, or undefined if the expression does not start at a name. */
function constantPath(node: Expr): ConstantPath | undefined {
  if (node.type === "name") return { path: [node.name], inside: [], complete: true };
  if (node.type !== "attribute" && node.type !== "item") return undefined;
  const before = constantPath(node.object);
  if (!before) return undefined;
  if (node.type === "attribute") return before.complete ? { ...before, path: [...before.path, node.name] } : before;
  const key = node.index.type === "const" ? node.index.value : undefined;
  const constant = typeof key === "string" || typeof key === "number" ? key : undefined;
  if (constant === undefined) return { ...before, inside: [...before.inside, node.index], complete: false };
  return before.complete ? { ...before, path: [...before.path, constant] } : before;
}

function completePath(node: Expr): Path | undefined {
  const found = constantPath(node);
  return found?.complete ? found.path : undefined;
}

/** Names that tags have bound, inner ones over outer ones. */
export class Names {
  private readonly bound = new Set<string>();

  constructor(private readonly outer?: Names) {}

  add(...names: readonly string[]): this {
    for (const name of names) this.bound.add(name);
    return this;
  }

  has(name: string): boolean {
    return this.bound.has(name) || (this.outer?.has(name) ?? false);
  }
}

export interface Reference {
  /** As far as it is constant: `a.b[c].d` is `["a", "b"]`, and `["c"]` is a reference of its own. */
  readonly path: readonly (string | number)[];
  /** 1-based, in the source of the template. */
  readonly line: number;
  readonly column: number;
  /** True where a missing value is expected: under `is defined`, `default`, or a branch that has tested it. */
  readonly guarded: boolean;
  /** True where only its last part may be missing: `a.b | default(1)` and `a.b is defined` still need `a`. */
  readonly needsRoot: boolean;
  /** It is only asked whether it is there: `a.b is defined`. */
  readonly tested?: true;
}

// What a condition says about definedness: which paths are known to be there where it
// holds, and which where it does not.

export type Path = readonly (string | number)[];

interface Guards {
  readonly whenTrue: readonly Path[];
  readonly whenFalse: readonly Path[];
}

const NONE: Guards = { whenTrue: [], whenFalse: [] };

function guardsOf(node: Expr, pathOf: (node: Expr) => Path | undefined): Guards {
  switch (node.type) {
    case "test": {
      const path = node.name === "defined" || node.name === "undefined" ? pathOf(node.input) : undefined;
      if (!path) return NONE;
      return node.name === "defined" ? { whenTrue: [path], whenFalse: [] } : { whenTrue: [], whenFalse: [path] };
    }
    case "not": {
      const inner = guardsOf(node.operand, pathOf);
      return { whenTrue: inner.whenFalse, whenFalse: inner.whenTrue };
    }
    case "and":
    case "or": {
      const left = guardsOf(node.left, pathOf);
      const right = guardsOf(node.right, pathOf);
      if (node.type === "and") {
        return { whenTrue: [...left.whenTrue, ...right.whenTrue], whenFalse: both(left.whenFalse, right.whenFalse) };
      }
      return { whenTrue: both(left.whenTrue, right.whenTrue), whenFalse: [...left.whenFalse, ...right.whenFalse] };
    }
    default:
      return NONE;
  }
}

const both = (a: readonly Path[], b: readonly Path[]): readonly Path[] =>
  a.filter((path) => b.some((other) => isPrefix(path, other) && path.length === other.length));

const isPrefix = (prefix: Path, path: Path): boolean =>
  prefix.length <= path.length && prefix.every((part, i) => part === path[i]);
