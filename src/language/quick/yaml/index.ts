// A reader for the YAML that workflow files are nearly always written in. It gives the same tree as the YAML library,
// or nothing at all: at the first thing that it is not sure of, it leaves the file to the library (../README.md says
// why there is such a reader at all).
import type { SourceFile } from "../../source-file.ts";
import type { Tree } from "../../tree.ts";
import { blockNode } from "./block.ts";
import { Cursor, Unsure } from "./cursor.ts";

/** Tabs, carriage returns, control characters, directives and document marks have rules of their own. */
const UNUSUAL = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]|^(?:%|---|\.\.\.)/m;

const MOST_CHARACTERS = 1_000_000;

/** The tree of a file, or undefined when the YAML library has to look at it. */
export function quickTree(source: SourceFile): Tree | undefined {
  if (source.text.length > MOST_CHARACTERS || UNUSUAL.test(source.text)) return undefined;
  try {
    const cursor = new Cursor(source);
    if (!cursor.nextContent() || cursor.column !== 0) return undefined;
    const tree = blockNode(cursor, 0);
    return cursor.isAtEnd ? tree : undefined;
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}
