import { expect, it } from "vitest";
import { pathWithin } from "./path-within.ts";

it.each([
  ["/w", "/w/a/b.yaml", "a/b.yaml"],
  ["/w", "/w", ""],
  ["/w", "/w/..x/b.yaml", "..x/b.yaml"],
  ["/w", "/wide/b.yaml", undefined],
  ["/w/a", "/w", undefined],
  ["/w/a", "/w/b", undefined],
])("from %s to %s the way is %s", (folder, path, way) => {
  expect(pathWithin(folder, path)).toBe(way);
});
