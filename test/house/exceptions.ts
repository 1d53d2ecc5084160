// Lists of what is still wrong. A list may only shrink: what is not on it fails, and so does a line that is needed no more.
import { readFileSync, writeFileSync } from "node:fs";

export const exceptionsFile = (name: string): string => `test/house/exceptions/${name}.txt`;

/**
 * The lines of a list that are not comments. With SEGNO_WRITE_EXCEPTIONS=1 the list is first written anew from what is
 * found; that is for moves of many files, and goes when the wings are in place.
 */
export function readExceptions(name: string, found: readonly string[]): readonly string[] {
  const file = exceptionsFile(name);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const isComment = (line: string): boolean => line.startsWith("#");
  if (process.env.SEGNO_WRITE_EXCEPTIONS === "1") {
    const all = [...lines.filter(isComment), ...new Set([...found].sort())];
    writeFileSync(file, `${all.join("\n")}\n`);
    return found;
  }
  return lines.filter((line) => line !== "" && !isComment(line));
}
