// Snippets in languages that cannot be run here: they are checked by their form. Batch files are run under Wine
// (npm run test:windows).
import { expect, it } from "vitest";
import { type Block, blocksOf, pages } from "./markdown.ts";

const LANGUAGES = ["powershell", "csharp", "bat"];
const snippets = pages.flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => LANGUAGES.includes(language))
    .map((block) => [`${page.name}:${block.line}, ${block.language}`, block] as const),
);
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** What is wrong with the brackets and quotes of a snippet; nothing when all are closed. */
function problemOf(text: string): string | undefined {
  const bare = text.replace(/"(?:`.|\\.|[^"\n])*"|'[^'\n]*'/g, "").replace(/^\s*(?:#|\/\/).*$/gm, "");
  if (/["']/.test(bare)) return "a text is not closed";
  const open: string[] = [];
  for (const sign of bare.match(/[()[\]{}]/g) ?? [])
    if (!(sign in CLOSES)) open.push(sign);
    else if (open.pop() !== CLOSES[sign]) return `${sign} closes nothing`;
  return open.length > 0 ? `${open.join("")} is not closed` : undefined;
}

const isBatch = ({ language }: Block): boolean => language === "bat";

it("are there, for each language that a script may raise from", () => {
  expect(new Set(snippets.map(([, { language }]) => language))).toEqual(new Set(LANGUAGES));
});

it.each(snippets)("%s closes what it opens, and raises through the error file", (_, block) => {
  if (!isBatch(block)) expect(problemOf(block.text)).toBeUndefined();
  expect(block.text).toContain("SEGNO_ERROR_OUT");
  expect(block.text).toMatch(/\bkind\b/);
  expect(block.text).toMatch(/\bexit\b/i);
});

it("notices what is not closed", () => {
  expect(problemOf('f(@{ a = "}" })')).toBeUndefined();
  expect([problemOf("f({)"), problemOf("f("), problemOf('say "hi')]).toEqual([
    ") closes nothing",
    "( is not closed",
    "a text is not closed",
  ]);
});
