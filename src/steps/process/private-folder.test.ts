// Folders that outlive their engine, and those that must not be touched.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../testing/attempt.ts";
import { isPrivateFolder, makePrivateFolder, removePrivateFolder, sweep } from "./private-folder.ts";

const folder = testFolder();

it("is this user's alone, and removed on the way out if not before", () => {
  const before = process.listeners("exit");
  const made = makePrivateFolder();
  expect(dirname(made)).toBe(folder());
  expect(statSync(made).mode & 0o777).toBe(0o700);
  expect(isPrivateFolder(made)).toBe(true);
  const [onExit] = process.listeners("exit").filter((listener) => !before.includes(listener));
  onExit?.(0);
  expect(existsSync(made)).toBe(false);
  removePrivateFolder(made);
  expect(process.listeners("exit")).toEqual(before);
});

it("is swept away when its engine is dead, and only then", () => {
  const mine = makePrivateFolder();
  const dead = spawnSync("true").pid;
  const left = mine.replace(`-${process.pid}-`, `-${dead}-`);
  const elsewhere = join(folder(), `segno-errors-1-${dead}-abc`);
  for (const path of [left, elsewhere]) mkdirSync(join(path, "inside"), { recursive: true });
  sweep(folder());
  expect([mine, left, elsewhere].map((path) => existsSync(path))).toEqual([true, false, true]);
  removePrivateFolder(mine);
  removePrivateFolder(elsewhere);
});
