// The page's "put an example here", for a reader who has no workflow yet.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { putExample } from "./init.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "segno-example-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("is a copy with all its parts, and no work of earlier runs", () => {
  const file = join(root, putExample("release", root));
  expect(readFileSync(file, "utf8")).toBe(readFileSync("examples/release.yaml", "utf8"));
  const parts = readdirSync("examples/release").filter((name) => name !== "work");
  expect(readdirSync(join(root, "segno-example/release"))).toEqual(parts);
});

it("is not put over a copy that is there, which may have been edited", () => {
  const file = join(root, putExample("release", root));
  writeFileSync(file, "# mine\n");
  expect(join(root, putExample("release", root))).toBe(file);
  expect(readFileSync(file, "utf8")).toBe("# mine\n");
});
