import { expect, it } from "vitest";
import { StaticFiles } from "../server/static-files.ts";
import { PAGES } from "./pages.ts";

it("is shown by every link of the header, also when it is loaded anew", () => {
  const files = new StaticFiles("/nowhere");
  expect(PAGES.filter(({ path }) => !files.find(path) || !files.find(`${path}/x`.replace("//x", "/runs/x")))).toEqual(
    [],
  );
});

it("has a letter of its own", () => {
  expect(new Set(PAGES.map(({ letter }) => letter)).size).toBe(PAGES.length);
});
