import type { Expr } from "../syntax/ast.ts";
import type { Path } from "./guards.ts";

export interface ConstantPath {
  readonly path: Path;
  /** Expressions inside brackets, which are read too. */
  readonly inside: readonly Expr[];
  readonly complete: boolean;
}

/** The constant beginning of a path, or undefined if the expression does not start at a name. */
export function constantPath(node: Expr): ConstantPath | undefined {
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

export function completePath(node: Expr): Path | undefined {
  const found = constantPath(node);
  return found?.complete ? found.path : undefined;
}
