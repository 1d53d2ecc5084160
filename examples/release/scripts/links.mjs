import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { answer, aWhile, raise, work } from "./shared.mjs";

const pages = ["README.md", ...readdirSync(join(work, "docs")).map((name) => `docs/${name}`)];
let checked = 0;
for (const page of pages)
  for (const [, target] of readFileSync(join(work, page), "utf8").matchAll(/\]\(([^)#:]+)\)/g)) {
    checked++;
    if (!existsSync(join(work, dirname(page), target)))
      raise("docs.broken_link", `${page} links to ${target}, which is not there`, { page, target });
  }
await aWhile(0.9);
answer({ pages: pages.length, links: checked });
