// Files and folders that a reader can take in at once.
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { sourceFiles, styleSheets, textOf } from "./imports.ts";

const MOST_LINES = 400;

const MOST_FILES = 25;

/** `language/rules` has a file for each rule. */
const ANY_NUMBER_OF_FILES: readonly string[] = ["language/rules"];

const files = [...sourceFiles(), ...styleSheets()];

it("has no file with too many lines", () => {
  const sizes = files.map((file) => [file, textOf(file).split("\n").length - 1] as const);
  const tooLong = sizes.filter(([, lines]) => lines > MOST_LINES);
  expect(
    tooLong.map(([file, lines]) => `${file}: ${lines} lines, at most ${MOST_LINES}. Split it by its ideas.`),
  ).toEqual([]);
});

it("has no folder with too many files", () => {
  const sizes = new Map<string, number>();
  for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  const tooLarge = [...sizes].filter(([folder, size]) => size > MOST_FILES && !ANY_NUMBER_OF_FILES.includes(folder));
  expect(
    tooLarge.map(([folder, size]) => `${folder}: ${size} files, at most ${MOST_FILES}. Which idea wants a folder?`),
  ).toEqual([]);
});
