import { expect, it } from "vitest";
import { localFoldersLast } from "./scripts-path.ts";

it.each([
  [
    "/a/node_modules/.bin:/usr/bin:/b/node_modules/.bin/:/bin",
    "/usr/bin:/bin:/a/node_modules/.bin:/b/node_modules/.bin/",
  ],
  ["bin::/usr/bin", "/usr/bin:bin:"],
  ["/usr/bin:/home/me/.venv/bin", "/usr/bin:/home/me/.venv/bin"],
])("folders of packages, and those that depend on where somebody stands, come last: %s", (path, ordered) => {
  expect(localFoldersLast(path)).toBe(ordered);
});
