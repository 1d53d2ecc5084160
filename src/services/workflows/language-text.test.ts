import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { NODE_TYPES } from "../../language/json-schema.ts";
import { DOCS, sectionsAt } from "./docs-text.ts";
import { LANGUAGE_PAGES } from "./language-pages.ts";
import {
  cheatSheet,
  docsIndex,
  docsText,
  kindsPage,
  LONGEST_PAGE,
  languageIndex,
  languagePage,
} from "./language-text.ts";

const GROUPS: readonly string[] = ["parallel", "for_each"];

/** Every text by its address. Of the docs all parts. */
function allTexts(): ReadonlyMap<string, string> {
  const texts = new Map([
    ["segno://language", languageIndex()],
    ["segno://cheat-sheet", cheatSheet()],
    ["segno://kinds", kindsPage()],
    ["segno://docs", docsIndex()],
  ]);
  for (const { name } of LANGUAGE_PAGES) texts.set(`segno://language/${name}`, languagePage(name) ?? "");
  for (const name of DOCS)
    for (let number = 1; ; number++) {
      const text = docsText(name, number);
      if (text === undefined) break;
      texts.set(`segno://docs/${name}${number > 1 ? `?page=${number}` : ""}`, text);
    }
  return texts;
}

it("there is a page for each type of step, and the groups have one", () => {
  const names = LANGUAGE_PAGES.map(({ name }) => name);
  expect(NODE_TYPES.filter((type) => !names.includes(type) && !GROUPS.includes(type))).toEqual([]);
  expect(names).toContain("groups");
});

it("every page is made of sections that there are", () => {
  const missing = LANGUAGE_PAGES.flatMap(({ name, from }) =>
    from
      .filter((cut) => {
        const [page = "", anchor] = (/^\S+/.exec(cut)?.[0] ?? "").split("#");
        return sectionsAt(page, anchor).length === 0;
      })
      .map((cut) => `${name}: ${cut}`),
  );
  expect(missing).toEqual([]);
});

it("the pages of docs/ are known", () => {
  const files = readdirSync("docs").filter((name) => name.endsWith(".md"));
  expect(files.map((name) => name.replace(/\.md$/, "")).sort()).toEqual([...DOCS].sort());
});

it("no page is longer than a model takes in at once", () => {
  const long = [...allTexts()].filter(([, text]) => text.length > LONGEST_PAGE);
  expect(long.map(([uri, { length }]) => `${uri}: ${length}`)).toEqual([]);
});

it("every link of a page leads to a resource", () => {
  const texts = allTexts();
  const isThere = (target: string): boolean =>
    target.startsWith("https:") || target.startsWith("segno://schema/") || texts.has(target);
  const broken = [...texts].flatMap(([uri, text]) => {
    const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/(segno:\/\/[\w/?=-]+\w)/g)];
    return links
      .map(([, target = ""]) => target)
      .filter((target) => !isThere(target) && !/TYPE$/.test(target))
      .map((target) => `${uri}: ${target}`);
  });
  expect(broken).toEqual([]);
});
