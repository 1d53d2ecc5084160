// docs/conductor.md and the list of deliberate differences hold each other: neither has a row that the other has not.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../docs/markdown.ts";
import { DIFFERENCES } from "./differences.ts";
import { DELIBERATE } from "./differential/deliberate.ts";

const page = readFileSync(join(root, "docs/conductor.md"), "utf8");
const rows = (/\n## What differs\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(1)
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

it("the table of the page is the list of deliberate differences", () => {
  expect(rows.map(([what, , , dialect]) => [what, dialect?.replaceAll("`", "")])).toEqual(
    DIFFERENCES.map((one) => [one.row, one.in]),
  );
});

it("every row says what each does, in which dialect, and why", () => {
  expect(rows.filter((cells) => cells.length !== 5 || cells.includes(""))).toEqual([]);
});

it("every row that a question shows is in the table", () => {
  const known = DIFFERENCES.map(({ row }) => row);
  expect(DELIBERATE.map(({ row }) => row).filter((row) => !known.includes(row))).toEqual([]);
});

it("the tests that show a row are there", () => {
  expect(DIFFERENCES.filter(({ shownBy }) => shownBy && !existsSync(join(root, shownBy)))).toEqual([]);
});
