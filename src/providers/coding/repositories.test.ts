// Finding repositories, without git: a repository's own settings could run anything.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoriesBelow } from "./repositories.ts";

describe("repositories below a folder", () => {
  let folder: string;
  const make = (path: string): void => void mkdirSync(join(folder, path), { recursive: true });
  const found = async (): Promise<string[]> =>
    (await repositoriesBelow(folder)).guarded.map((path) => relative(folder, path)).sort();
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "segno-repositories-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are found however deep, and by every spelling of their name", async () => {
    make("a/b/c/d/e/f/.git");
    make("other/.Git");
    make(".github");
    expect(await found()).toEqual(["a/b/c/d/e/f/.git", "other/.Git"]);
  });

  it("do not count the folder's own, but what it keeps of its submodules", async () => {
    make(".git/hooks");
    expect(await found()).toEqual([]);
    make(".git/modules/one");
    expect(await found()).toEqual([".git/modules"]);
  });

  it("are followed to where they are kept, as far as that is below the folder", async () => {
    make("kept");
    make("linked");
    make("away");
    writeFileSync(join(folder, ".git"), "gitdir: ./kept\n");
    symlinkSync(join(folder, "kept"), join(folder, "linked/.git"));
    writeFileSync(join(folder, "away/.git"), `gitdir: ${tmpdir()}\n`);
    expect(await found()).toEqual([
      ".git",
      "away/.git",
      "kept/config",
      "kept/config.worktree",
      "kept/hooks",
      "linked/.git",
    ]);
  });

  it("are not looked for behind links", async () => {
    make("real/.git");
    symlinkSync(join(folder, "real"), join(folder, "again"));
    symlinkSync(folder, join(folder, "real/round"));
    expect(await found()).toEqual(["real/.git"]);
  });

  it("are said to be more when there are too many", async () => {
    for (let index = 0; index < 101; index += 1) make(`${index}/.git`);
    const { guarded, isComplete } = await repositoriesBelow(folder);
    expect([guarded.length, isComplete]).toEqual([100, false]);
  });
});
