// A YAML file as a tree in which every value and key knows where it stands, across included files.
import type { NodePath } from "./loaded.ts";
import type { SourceFile } from "./source-file.ts";

export interface SourcePlace {
  readonly source: SourceFile;
  /** Offsets into the source's text. */
  readonly start: number;
  readonly end: number;
}

export type Style = "plain" | "single" | "double" | "literal" | "folded" | "text";

interface Node {
  readonly place: SourcePlace;
  /** How many values and levels this is once aliases are followed; both are limited. */
  readonly size: number;
  readonly depth: number;
  /** The text of the file that `!file` named, when this came from one. */
  readonly included?: string;
  /** What should stand here could not be read, which has been said. */
  readonly isBroken?: true;
}

export interface ScalarTree extends Node {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  readonly style: Style;
  /** Where the text itself stands: an alias's `place` is the alias, its content is at the anchor. */
  readonly content: SourcePlace;
}

export interface ListTree extends Node {
  readonly kind: "list";
  readonly items: readonly Tree[];
}

export interface TreeEntry {
  readonly key: SourcePlace;
  readonly value: Tree;
}

export interface MappingTree extends Node {
  readonly kind: "mapping";
  readonly entries: ReadonlyMap<string, TreeEntry>;
}

export type Tree = ScalarTree | ListTree | MappingTree;

/** The value one step further along a path, if it is there. */
export function childTree(tree: Tree, key: string | number): Tree | undefined {
  if (tree.kind === "mapping") return tree.entries.get(String(key))?.value;
  if (tree.kind === "list" && typeof key === "number") return tree.items[key];
  return undefined;
}

/** The value at a path, if it is there. */
export function treeAt(tree: Tree, path: NodePath): Tree | undefined {
  let at: Tree | undefined = tree;
  for (const key of path) {
    if (!at) return undefined;
    at = childTree(at, key);
  }
  return at;
}

/** A scalar as it was written, without quotes: `1.10` stays `1.10`. */
export const writtenText = ({ content: { source, start, end } }: ScalarTree): string => source.text.slice(start, end);

/** Turns a scalar into its value. The path is only lent: copy it to keep it. */
export type ScalarReader = (scalar: ScalarTree, path: NodePath) => unknown;

/** The tree as plain values. Keys cannot reach a prototype. */
export function treeValue(tree: Tree, scalar: ScalarReader = (one) => one.value): unknown {
  return plainAt(tree, scalar, []);
}

function plainAt(tree: Tree, scalar: ScalarReader, path: (string | number)[]): unknown {
  if (tree.kind === "scalar") return scalar(tree, path);
  if (tree.kind === "list")
    return tree.items.map((item, index) => {
      path.push(index);
      const value = plainAt(item, scalar, path);
      path.pop();
      return value;
    });
  const object: Record<string, unknown> = {};
  for (const [key, entry] of tree.entries) {
    path.push(key);
    const value = plainAt(entry.value, scalar, path);
    path.pop();
    if (key === "__proto__")
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
    else object[key] = value;
  }
  return object;
}
