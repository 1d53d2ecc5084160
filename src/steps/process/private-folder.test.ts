// Folders that outlive their engine, and those that must not be touched.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../test/support/engine/attempt.ts";
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
  for (const path of [left, elsewhere]) mkdirSync(join(path, "inside"), { recursive: true, mode: 0o700 });
  sweep(folder());
  expect([mine, left, elsewhere].map((path) => existsSync(path))).toEqual([true, false, true]);
  removePrivateFolder(mine);
  removePrivateFolder(elsewhere);
});

/** A folder as a killed engine of this namespace leaves it: its path below `parent`. */
function leftIn(parent: string): string {
  const mine = makePrivateFolder();
  removePrivateFolder(mine);
  return mine.replace(folder(), parent).replace(`-${process.pid}-`, `-${spawnSync("true").pid}-`);
}

function newParent(): string {
  const parent = join(folder(), "shared");
  mkdirSync(parent);
  return parent;
}

it("is never taken for one's own when somebody else planted it: a link, an open folder, another user's", () => {
  const parent = newParent();
  const precious = join(folder(), "precious");
  mkdirSync(precious, { mode: 0o700 });
  writeFileSync(join(precious, "thesis"), "years of work");
  const link = leftIn(parent);
  symlinkSync(precious, link);
  const open = leftIn(parent);
  mkdirSync(open, { mode: 0o700 });
  chmodSync(open, 0o777);
  const planted = [link, open];
  // Only root can make a folder that is another's.
  if (process.getuid?.() === 0) {
    const others = leftIn(parent);
    mkdirSync(others, { mode: 0o700 });
    chownSync(others, 65534, 65534);
    planted.push(others);
  }
  sweep(parent);
  expect(readdirSync(parent).sort()).toEqual(planted.map((path) => basename(path)).sort());
  expect(existsSync(join(precious, "thesis"))).toBe(true);
});

it("is not looked for in a place where others can exchange one folder for another", () => {
  const parent = newParent();
  const left = leftIn(parent);
  mkdirSync(left, { mode: 0o700 });
  chmodSync(parent, 0o777);
  sweep(parent);
  expect(existsSync(left)).toBe(true);
  chmodSync(parent, 0o1777);
  sweep(parent);
  expect(existsSync(left)).toBe(false);
});
