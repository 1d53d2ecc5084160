// How much a list or mapping holds, once aliases are followed.
import type { Tree } from "./tree.ts";

export function measured(children: readonly Tree[]): { readonly size: number; readonly depth: number } {
  let size = 1;
  let depth = 0;
  for (const child of children) {
    size += child.size;
    depth = Math.max(depth, child.depth);
  }
  return { size, depth: depth + 1 };
}
