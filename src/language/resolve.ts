// Puts the environment into every string of a tree, and remembers where, so that positions stay true.
import { type Environment, type Expansion, expand } from "./environment.ts";
import type { NodePath } from "./loaded.ts";
import { type ScalarTree, type Tree, treeAt, treeValue } from "./tree.ts";

export interface Expanded {
  readonly path: NodePath;
  readonly scalar: ScalarTree;
  readonly expansion: Expansion;
}

export interface Resolved {
  readonly value: unknown;
  /** By `pathKey`: the strings that the environment changed, or could not complete. */
  readonly expansions: ReadonlyMap<string, Expanded>;
}

export const pathKey = (path: NodePath): string => path.join("\u0000");

/** Without an environment every string stays as it is written. */
export function resolveEnvironment(tree: Tree, env: Environment | undefined): Resolved {
  const expansions = new Map<string, Expanded>();
  if (!env) return { value: treeValue(tree), expansions };
  const value = treeValue(tree, (scalar, path) => {
    if (typeof scalar.value !== "string" || !scalar.value.includes("${")) return scalar.value;
    const expansion = expand(scalar.value, env, belongsToShell(tree, path));
    if (expansion.edits.length > 0 || expansion.gaps.length > 0)
      expansions.set(pathKey(path), { path: [...path], scalar, expansion });
    return expansion.text;
  });
  return { value, expansions };
}

const SHELL_FIELDS: readonly unknown[] = ["args", "stdin", "env"];

/** Shells have `${X}` of their own, so in these fields of a script a name that is not set is left alone. */
function belongsToShell(tree: Tree, path: NodePath): boolean {
  const depth =
    path[0] === "agents" || path[0] === "steps" ? 2 : path[0] === "for_each" && path[2] === "agent" ? 3 : undefined;
  if (depth === undefined || !SHELL_FIELDS.includes(path[depth])) return false;
  const type = treeAt(tree, [...path.slice(0, depth), "type"]);
  return type?.kind === "scalar" && type.value === "script";
}
