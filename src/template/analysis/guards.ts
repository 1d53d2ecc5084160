// What a condition says about definedness: which paths are known to be there where it
// holds, and which where it does not.

import type { Expr } from "../syntax/ast.ts";

export type Path = readonly (string | number)[];

export interface Guards {
  readonly whenTrue: readonly Path[];
  readonly whenFalse: readonly Path[];
}

const NONE: Guards = { whenTrue: [], whenFalse: [] };

export function guardsOf(node: Expr, pathOf: (node: Expr) => Path | undefined): Guards {
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

function both(a: readonly Path[], b: readonly Path[]): readonly Path[] {
  return a.filter((path) => b.some((other) => isPrefix(path, other) && path.length === other.length));
}

export function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((part, i) => part === path[i]);
}
