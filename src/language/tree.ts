// A file's text with its lines, and a YAML file as a tree in which every value and key knows where it stands, across
// included files. Each way in which reading a file can fail has a sentence here.

import { createRequire } from "node:module";
import { once } from "../steps/schema/readings.ts";
import type { LoadWorld, Location, NodePath } from "./loaded.ts";

export interface SourceFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly lines: TextLines;
}

/** From an offset in a text to its line and column, both from 1. */
export interface TextLines {
  at(offset: number): { readonly line: number; readonly column: number };
}

export type SourceRead =
  | { readonly ok: true; readonly source: SourceFile }
  | { readonly ok: false; readonly rule: "missing-file" | "unreadable-file"; readonly message: string };

/** Larger files are no workflows; reading them would only keep you waiting. */
export const MOST_BYTES = 4 * 1024 * 1024;

export const sourceFile = (path: string, text: string, lines = linesOf(text)): SourceFile => ({ path, text, lines });

export const linesOf = (text: string): TextLines => new LineIndex(text);

/** Reads a text file: UTF-8, with or without a byte order mark. */
export function readSource(path: string, world: LoadWorld): SourceRead {
  let bytes: Uint8Array;
  try {
    bytes = world.read(path);
  } catch (error) {
    return refused(path, error);
  }
  if (bytes.length > MOST_BYTES)
    return unreadable(`\`${path}\` is larger than ${MOST_BYTES / 1024 / 1024} MiB. Is it the right file?`);
  if (bytes.includes(0)) return unreadable(`\`${path}\` is a binary file, not text. Is it the right file?`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { ok: true, source: sourceFile(path, text, world.defined?.get(path)?.lines()) };
  } catch {
    return unreadable(`\`${path}\` is not UTF-8. Save it as UTF-8 and try again.`);
  }
}

export const locate = (source: SourceFile, offset: number): Location => ({
  file: source.path,
  ...source.lines.at(Math.max(0, Math.min(offset, source.text.length))),
});

const unreadable = (message: string): SourceRead => ({ ok: false, rule: "unreadable-file", message });

function refused(path: string, error: unknown): SourceRead {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "ENOENT" || code === "ENOTDIR")
    return { ok: false, rule: "missing-file", message: `There is no file \`${path}\`. Check the path.` };
  if (code === "ENOTREG")
    return unreadable(`\`${path}\` is a pipe, a device or a socket, not a file. Name a file that holds the text.`);
  if (code === "EFBIG")
    return unreadable(`\`${path}\` is larger than ${MOST_BYTES / 1024 / 1024} MiB. Is it the right file?`);
  if (code === "EISDIR") return unreadable(`\`${path}\` is a folder, not a file. Name the workflow file in it.`);
  if (code === "EACCES" || code === "EPERM")
    return unreadable(`\`${path}\` may not be read by this user. Check the file's permissions.`);
  return unreadable(`\`${path}\` cannot be read: ${typeof message === "string" ? message : String(error)}.`);
}

/** The lines are found when they are first asked for. */
class LineIndex implements TextLines {
  #starts: readonly number[] | undefined;

  constructor(private readonly text: string) {}

  at(offset: number): { readonly line: number; readonly column: number } {
    this.#starts ??= lineStarts(this.text);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

export const yamlLibrary = once(() => createRequire(import.meta.url)("yaml") as typeof import("yaml"));

export interface SourcePlace {
  readonly source: SourceFile;
  /** Offsets into the source's text. */
  readonly start: number;
  readonly end: number;
}

/** Something about the text itself, before any schema is asked. */
export interface Problem {
  readonly rule: "yaml-syntax" | "missing-file" | "unreadable-file";
  readonly message: string;
  readonly place: SourcePlace;
}

export type Style = "plain" | "single" | "double" | "literal" | "folded" | "text";

interface Node {
  readonly place: SourcePlace;
  /** How many values and levels this is once aliases are followed; both are limited. */
  readonly size: number;
  readonly depth: number;
  /** The text of the file that `!file` named, when this came from one. */
  readonly included?: string;
  /** A mapping or list that a `!file` named: what it is where text is wanted. */
  readonly asText?: ScalarTree;
  /** Text that a `!file` named: what is wrong with it where a mapping or list is wanted. */
  readonly unread?: readonly Problem[];
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
export const treeValue = (tree: Tree, scalar: ScalarReader = (one) => one.value): unknown => plainAt(tree, scalar, []);

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
