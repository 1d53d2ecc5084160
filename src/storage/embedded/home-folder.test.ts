import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeRunFolder } from "./run-folders.ts";

const base = mkdtempSync(join(tmpdir(), "segno-home-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

it("a home that is made here is not for git, and a folder that was there is left as it is", () => {
  makeRunFolder(join(base, "project", ".segno"), "01RUN");
  expect(readFileSync(join(base, "project", ".segno", ".gitignore"), "utf8")).toBe("*\n");
  expect(statSync(join(base, "project", ".segno", ".gitignore")).mode & 0o077).toBe(0);
  mkdirSync(join(base, "own"));
  makeRunFolder(join(base, "own"), "01RUN");
  expect(existsSync(join(base, "own", ".gitignore"))).toBe(false);
});
