// Docs are skimmed: a paragraph of more than 90 words is several, a list or a table.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pages, proseOf, root } from "./markdown.ts";

const MOST_WORDS = 90;
const contributing = { name: "CONTRIBUTING.md", text: readFileSync(join(root, "CONTRIBUTING.md"), "utf8") };
/** Written by `npm run docs` from descriptions in the code. */
const GENERATED = ["docs/reference.md", "docs/kinds.md", "docs/events.md", "docs/cli.md"];

it.each([...pages.filter(({ name }) => !GENERATED.includes(name)), contributing])("$name can be skimmed", (page) => {
  const paragraphs = proseOf(page)
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((text) => !text.trimStart().startsWith("|"));
  const wordsOf = (text: string): number => text.trim().split(/\s+/).length;
  const long = paragraphs.filter((text) => wordsOf(text) > MOST_WORDS);
  expect(long.map((text) => `${wordsOf(text)} words: ${text.trim().slice(0, 60)}…`)).toEqual([]);
});
