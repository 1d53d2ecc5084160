// Puts the environment into every string of a tree, and leads from every value back to its place in the file.
import { type Environment, type Expansion, expand, type VariableStyle } from "./environment.ts";
import type { Location, NodePath, Positions } from "./loaded.ts";
import { isStepsKey } from "./schema/names.ts";
import { childTree, locate, type ScalarTree, type SourcePlace, type Tree, treeAt, treeValue } from "./tree.ts";

interface Expanded {
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
export function resolveEnvironment(tree: Tree, env: Environment | undefined, style: VariableStyle): Resolved {
  const expansions = new Map<string, Expanded>();
  if (!env) return { value: treeValue(tree), expansions };
  const value = treeValue(tree, (scalar, path) => {
    if (typeof scalar.value !== "string" || !scalar.value.includes("${")) return scalar.value;
    const expansion = expand(scalar.value, env, { keepUnset: belongsToShell(tree, path), style });
    if (expansion.edits.length > 0 || expansion.gaps.length > 0)
      expansions.set(pathKey(path), { path: [...path], scalar, expansion });
    return expansion.text;
  });
  return { value, expansions };
}

const SHELL_FIELDS: readonly unknown[] = ["args", "stdin", "env"];

/** Shells have `${X}` of their own, so in these fields of a script a name that is not set is left alone. */
function belongsToShell(tree: Tree, path: NodePath): boolean {
  const depth = isStepsKey(path[0]) ? 2 : path[0] === "for_each" && path[2] === "agent" ? 3 : undefined;
  if (depth === undefined || !SHELL_FIELDS.includes(path[depth])) return false;
  const type = treeAt(tree, [...path.slice(0, depth), "type"]);
  return type?.kind === "scalar" && type.value === "script";
}

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

/**
 * Where a character of a scalar's value stands in the source: quotes, escapes, folded lines and indentation taken off.
 * The offset in the source text of the character at `offset` of the value.
 */
function sourceOffset(scalar: ScalarTree, offset: number): number {
  const { start, end, source } = scalar.content;
  const written = source.text.slice(start, end);
  const value = String(scalar.value);
  switch (scalar.style) {
    case "literal":
    case "folded":
      return start + alongBlock(written, value, offset, scalar.style === "folded");
    case "single":
    case "double":
      return start + alongFlow(written, value, offset, 1, scalar.style);
    default:
      return start + alongFlow(written, value, offset, 0, "plain");
  }
}

/** `|` and `>`: skip the header, then take off the indentation of each line. */
function alongBlock(written: string, value: string, offset: number, isFolded: boolean): number {
  const body = written.indexOf("\n") + 1;
  if (body === 0) return 0;
  const indent = indentOf(written, body, value);
  const skipIndent = (at: number): number => {
    let next = at;
    while (next < at + indent && written[next] === " ") next++;
    return next;
  };
  let s = skipIndent(body);
  for (let v = 0; v < offset && s < written.length; v++) {
    if (written[s] === "\r") s++;
    if (written[s] !== "\n") s++;
    else if (isFolded && value[v] === " ") s = skipIndent(s + 1);
    else {
      s = skipIndent(s + 1);
      // One empty line between folded lines is one newline in the value: the first break was only the fold.
      if (isFolded && written[s] === "\n" && value[v + 1] !== "\n" && value[v + 1] !== undefined) s = skipIndent(s + 1);
    }
  }
  return s;
}

/** The indentation that every line of a block has; a first line that begins with spaces keeps its own beyond that. */
function indentOf(written: string, body: number, value: string): number {
  const line = /^[ \t]*\S/m.exec(written.slice(body));
  const first = /^[ \t]*(?=\S)/m.exec(value);
  return line ? line[0].length - 1 - (first?.[0].length ?? 0) : 0;
}

/** Plain and quoted text: walk value and source together; where the source breaks a line, the value has one blank. */
function alongFlow(
  written: string,
  value: string,
  offset: number,
  from: number,
  style: "plain" | "single" | "double",
): number {
  let s = from;
  for (let v = 0; v < offset && s < written.length; ) {
    const fold = /[ \t]*\r?\n\s*/y;
    fold.lastIndex = s;
    const broken = fold.exec(written);
    if (broken) {
      const breaks = broken[0].split("\n").length - 1;
      s += broken[0].length;
      v += breaks === 1 ? 1 : breaks - 1;
    } else if (style === "double" && written[s] === "\\") {
      const { length, characters } = escapeAt(written, s);
      s += length;
      v += characters;
    } else {
      s += style === "single" && written[s] === "'" ? 2 : 1;
      v += 1;
    }
    if (v > value.length) break;
  }
  return s;
}

function escapeAt(written: string, at: number): { readonly length: number; readonly characters: number } {
  switch (written[at + 1]) {
    case "x":
      return { length: 4, characters: 1 };
    case "u":
      return { length: 6, characters: 1 };
    case "U":
      return { length: 10, characters: Number.parseInt(written.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1 };
    case "\n":
    case "\r": {
      const rest = /\r?\n[ \t]*/y;
      rest.lastIndex = at + 1;
      return { length: 1 + (rest.exec(written)?.[0].length ?? 1), characters: 0 };
    }
    default:
      return { length: 2, characters: 1 };
  }
}
