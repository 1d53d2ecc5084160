// A file's text with its lines, and the ways in which reading one can fail, each with a sentence.
import type { LoadWorld, Location } from "./loaded.ts";

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

export function locate(source: SourceFile, offset: number): Location {
  return { file: source.path, ...source.lines.at(Math.max(0, Math.min(offset, source.text.length))) };
}

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
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    this.#starts ??= lineStarts(this.#text);
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
