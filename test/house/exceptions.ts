// Lists of what is still wrong. A list may only shrink: what is not on it fails, and so does a line that is needed no more.
import { readFileSync } from "node:fs";

export const exceptionsFile = (name: string): string => `test/house/exceptions/${name}.txt`;

/** The lines of a list that are not comments. */
export function readExceptions(name: string): readonly string[] {
  const lines = readFileSync(exceptionsFile(name), "utf8").trimEnd().split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
