// Links between the pages lead somewhere, to the heading as well.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { anchor } from "../../scripts/docs/markdown.ts";
import { pages, proseOf, root } from "./markdown.ts";

/** Written by others, and not there in every state of the tree. */
const ELSEWHERE: readonly string[] = ["docs/resilience.md", "docs/performance.md"];

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchor(heading)));

it.each(pages.map((page) => [page.name, page] as const))("links of %s lead somewhere", (_, page) => {
  const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", heading] = target.split("#");
      const file = path === "" ? page.name : join(dirname(page.name), path);
      if (!existsSync(join(root, file))) return !ELSEWHERE.includes(file);
      return heading !== undefined && !anchorsOf(readFileSync(join(root, file), "utf8")).has(heading);
    });
  expect(broken).toEqual([]);
});
