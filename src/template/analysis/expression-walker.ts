// Finds what an expression reads from the context.

import type { Arguments, Expr } from "../syntax/ast.ts";
import { argumentsOf, childrenOf } from "../syntax/ast-tools.ts";
import type { Positions } from "../syntax/positions.ts";
import { type ConstantPath, completePath, constantPath } from "./constant-path.ts";
import { type Guards, guardsOf, isPrefix, type Path } from "./guards.ts";
import type { Names } from "./names.ts";
import type { Reference } from "./reference.ts";

export class ExpressionWalker {
  readonly found: Reference[] = [];

  constructor(
    private readonly positions: Positions,
    private readonly functions: ReadonlyMap<string, unknown>,
  ) {}

  /** `guards` are the paths known to be defined here; `guarded` says that missing is expected of this very node. */
  walk(node: Expr, names: Names, guards: readonly Path[], guarded = false): void {
    const path = constantPath(node);
    if (path) {
      this.read(node, path, names, guards, guarded);
      return;
    }
    switch (node.type) {
      case "call":
        this.callee(node.callee, names, guards);
        this.walkArguments(node.args, names, guards);
        return;
      case "filter":
        this.walk(node.input, names, guards, node.name === "default" || node.name === "d");
        this.walkArguments(node.args, names, guards);
        return;
      case "test":
        this.walk(node.input, names, guards, node.name === "defined" || node.name === "undefined");
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

  private read(node: Expr, found: ConstantPath, names: Names, guards: readonly Path[], guarded: boolean): void {
    const { path, inside } = found;
    for (const part of inside) this.walk(part, names, guards);
    if (names.has(String(path[0]))) return;
    const tested = guards.some((guard) => isPrefix(guard, path));
    const needsRoot = guarded && !tested && path.length > 1;
    this.found.push({ path, ...this.positions.at(node.start), guarded: guarded || tested, needsRoot });
  }

  /** Data has no functions: what is called is the engine's, or a method, which is no part of the path. */
  private callee(node: Expr, names: Names, guards: readonly Path[]): void {
    if (node.type === "name" && this.functions.has(node.name)) return;
    this.walk(node.type === "attribute" ? node.object : node, names, guards);
  }
}
