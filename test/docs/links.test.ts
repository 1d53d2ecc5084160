// Links between the pages lead somewhere, to the heading as well, and not out of the package that the pages are shipped in.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { anchor } from "../../scripts/docs/markdown.ts";
import { pages, proseOf, root } from "./markdown.ts";

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchor(heading)));

it.each(pages.map((page) => [page.name, page] as const))("links of %s lead somewhere", (_, page) => {
  const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", heading] = target.split("#");
      const file = path === "" ? page.name : join(dirname(page.name), path);
      if (!existsSync(join(root, file))) return true;
      return heading !== undefined && !anchorsOf(readFileSync(join(root, file), "utf8")).has(heading);
    });
  expect(broken).toEqual([]);
});

it("links of the pages lead to what is in the package too", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  const shipped = [...files, "README.md", "LICENSE", "package.json"];
  const missing = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => join(dirname(page.name), target))
      .filter((file) => !shipped.some((name) => file === name || file.startsWith(`${name}/`)))
      .map((file) => `${page.name} links to ${file}`),
  );
  expect(missing).toEqual([]);
});
