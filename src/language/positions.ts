// The way back from every value to its place in a file.
import type { Expansion } from "./environment.ts";
import { sourceOffset } from "./inside.ts";
import type { Location, NodePath, Positions } from "./loaded.ts";
import { type Expanded, pathKey } from "./resolve.ts";
import { locate } from "./source-file.ts";
import { childTree, type SourcePlace, type Tree, treeAt } from "./tree.ts";

export function positionsOf(tree: Tree, expansions: ReadonlyMap<string, Expanded>): Positions {
  const keyPlace = (path: NodePath): SourcePlace => {
    const parent = treeAt(tree, path.slice(0, -1));
    const last = path.at(-1);
    const entry = parent?.kind === "mapping" && last !== undefined ? parent.entries.get(String(last)) : undefined;
    return entry ? entry.key : nearestTo(tree, path).place;
  };
  const positions: Positions = {
    at: (path) => start(nearestTo(tree, path).place),
    key: (path) => start(keyPlace(path)),
    end(path, { at, line, column = 1 } = {}) {
      const scalar = treeAt(tree, path);
      if (line === undefined || scalar?.kind !== "scalar" || typeof scalar.value !== "string")
        return endOfPlace(at === "key" ? keyPlace(path) : headOf(nearestTo(tree, path)));
      const text = expansions.get(pathKey(path))?.expansion.text ?? scalar.value;
      return positions.inside(path, line, column + nameLength(text, offsetOf(text, line, column)));
    },
    inside(path, line, column) {
      const scalar = treeAt(tree, path);
      if (scalar?.kind !== "scalar" || typeof scalar.value !== "string") return start(nearestTo(tree, path).place);
      const expansion = expansions.get(pathKey(path))?.expansion;
      const offset = offsetOf(expansion?.text ?? scalar.value, line, column);
      return insideScalar(scalar, expansion ? beforeExpansion(expansion, offset) : offset);
    },
  };
  return positions;
}

/** What of a value is shown as wrong: of a mapping its first key, of a list its first line. */
function headOf(tree: Tree): SourcePlace {
  if (tree.kind !== "mapping") return tree.place;
  const [first] = tree.entries.values();
  const isBlock = first !== undefined && first.key.source === tree.place.source && first.key.start === tree.place.start;
  return isBlock ? first.key : tree.place;
}

/** The end of a place, on its first line. */
export function endOfPlace({ source, start: from, end }: SourcePlace): Location {
  const line = source.text.slice(from, end).split("\n", 1)[0] ?? "";
  return locate(source, from + Math.max(1, line.trimEnd().length));
}

const NAME = /[A-Za-z_$][\w$]*(?:\.\w+|\[\d+\]|\[(?:'[^']*'|"[^"]*")\])*/y;

/** How long the name or path is that stands in a text at this offset. */
function nameLength(text: string, offset: number): number {
  NAME.lastIndex = offset;
  return NAME.exec(text)?.[0].length ?? 1;
}

/** Where an offset into a scalar's value, as written, stands in its file. */
export function insideScalar(scalar: Extract<Tree, { kind: "scalar" }>, offset: number): Location {
  const { source } = scalar.content;
  if (scalar.style !== "text") return locate(source, sourceOffset(scalar, offset));
  const before = String(scalar.value).slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { file: source.path, line: before.split("\n").length, column: offset - lineStart + 1 };
}

const start = (place: SourcePlace): Location => locate(place.source, place.start);

function nearestTo(tree: Tree, path: NodePath): Tree {
  let at = tree;
  for (const key of path) {
    const next = childTree(at, key);
    if (!next) break;
    at = next;
  }
  return at;
}

function offsetOf(text: string, line: number, column: number): number {
  let from = 0;
  for (let left = line - 1; left > 0; left--) {
    const next = text.indexOf("\n", from);
    if (next === -1) break;
    from = next + 1;
  }
  return Math.max(0, Math.min(text.length, from + column - 1));
}

/** An offset into the text with the environment in it, as an offset into the text as written. */
function beforeExpansion({ edits }: Expansion, offset: number): number {
  let shift = 0;
  for (const { start: from, end, at, length } of edits) {
    if (offset < at) break;
    if (offset < at + length) return from;
    shift = end - (at + length);
  }
  return offset + shift;
}
