// Finding repositories, without git: a repository's own settings could run anything.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoriesBelow } from "./guarded.ts";

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

  it("count, of the folder's own, as what git runs, and as what it keeps of its submodules and worktrees", async () => {
    make(".git/hooks");
    const runs = [".git/commondir", ".git/config", ".git/config.worktree", ".git/hooks"];
    expect(await found()).toEqual(runs);
    make(".git/modules/one");
    make(".git/worktrees/one");
    expect(await found()).toEqual([...runs, ".git/modules", ".git/worktrees"]);
  });

  it("are, of a worktree that is the folder, its own part and the one that it shares, wherever they are", async () => {
    make("main/.git/worktrees/one");
    make("one");
    writeFileSync(join(folder, "one/.git"), `gitdir: ${join(folder, "main/.git/worktrees/one")}\n`);
    writeFileSync(join(folder, "main/.git/worktrees/one/commondir"), "../..\n");
    const { guarded } = await repositoriesBelow(join(folder, "one"));
    expect(guarded.map((path) => relative(folder, path))).toEqual(["one/.git", "main/.git/worktrees/one", "main/.git"]);
  });

  it("are followed to where they are kept, as far as that is below the folder", async () => {
    make("kept");
    make("linked");
    make("away");
    writeFileSync(join(folder, ".git"), "gitdir: ./kept\n");
    symlinkSync(join(folder, "kept"), join(folder, "linked/.git"));
    writeFileSync(join(folder, "away/.git"), `gitdir: ${tmpdir()}\n`);
    expect(await found()).toEqual([".git", "away/.git", "kept", "linked/.git"]);
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
