// Which files of a user no agent's command may read.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outermost, privateFiles } from "./private-files.ts";

describe("files in which programs keep their user's keys", () => {
  let home: string;
  const put = (path: string): string => {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), "secret");
    return join(home, path);
  };
  const found = (env: Readonly<Record<string, string>> = {}, cwd = join(home, "work")): string[] =>
    privateFiles({ HOME: home, ...env }, cwd).map((path) => relative(home, path));
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "segno-private-")));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("are those that are there, by their real paths", () => {
    put(".ssh/id");
    put(".npmrc");
    put(".gitconfig");
    put("vault/config");
    symlinkSync("vault", join(home, ".kube"));
    expect(found()).toEqual([".ssh", "vault", ".npmrc"]);
  });

  it("are also where a variable says they are, unless that is where nothing is", () => {
    const one = put("elsewhere/one");
    const two = put("elsewhere/two");
    const env = { KUBECONFIG: `${one}:${two}`, NPM_CONFIG_USERCONFIG: "/dev/null", NETRC: "relative" };
    expect(found(env)).toEqual(["elsewhere/one", "elsewhere/two"]);
  });

  it("are not the folder that the agent was given, nor all of the home", () => {
    put(".aws/work/file");
    expect(found({ DOCKER_CONFIG: home, GNUPGHOME: "/" }, join(home, ".aws/work"))).toEqual([]);
  });

  it("are named once, and not again inside of each other", () => {
    expect(outermost(["/a", "/a/b", "/ab", "/a"])).toEqual(["/a", "/ab"]);
  });
});
