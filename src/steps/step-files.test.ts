import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../test/support/engine/attempt.ts";
import { stepFiles } from "./step-files.ts";

const folder = testFolder();

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder(), name, ".."), { recursive: true });
    writeFileSync(join(folder(), name), text);
  }
}

const place = (dir = folder()) => ({ name: "w", file: join(dir, "w.yaml"), dir, rootDir: folder(), runtime: {} });
const named = (command: string, args: readonly string[], cwd = folder(), dir = folder()): readonly string[] =>
  stepFiles()
    .named({ command, args, cwd }, place(dir))
    .map(({ path }) => path);

it("knows the regular files that a command and its arguments name", () => {
  write({ "run.sh": "1", "scripts/a.py": "1", "sub/b.py": "1", sh: "1" });
  symlinkSync("run.sh", join(folder(), "linked.sh"));
  expect(named("./run.sh", ["scripts/a.py", "-v", "", "gone.py", "scripts"])).toEqual(["run.sh", "scripts/a.py"]);
  expect(named("python3", [join(folder(), "scripts/a.py"), "linked.sh"])).toEqual(["scripts/a.py", "linked.sh"]);
  // Without a slash it is looked for on the PATH; a whole argument is a name, a part of one is not.
  expect(named("sh", ["-c", "sh run.sh"])).toEqual([]);
  expect(named("python3", ["b.py"], join(folder(), "sub"))).toEqual(["sub/b.py"]);
});

it("knows none outside of the workflow's folder and the one that the step works in", () => {
  write({ "flows/w.yaml": "", "flows/in.sh": "1", "work/out.sh": "1", "other/away.sh": "1" });
  const flows = join(folder(), "flows");
  const files = stepFiles();
  const rootDir = flows;
  const of = (args: readonly string[], cwd: string) =>
    files.named({ command: "sh", args, cwd }, { ...place(flows), rootDir }).map(({ path }) => path);
  expect(of(["in.sh", "../other/away.sh"], flows)).toEqual(["in.sh"]);
  expect(of(["out.sh", "../flows/in.sh"], join(folder(), "work"))).toEqual([join(folder(), "work/out.sh"), "in.sh"]);
});

it("tells which of them are not as they were", () => {
  write({ "a.sh": "1", "b.sh": "1" });
  const files = stepFiles();
  const before = files.named({ command: "sh", args: ["a.sh", "b.sh"], cwd: folder() }, place());
  expect(files.changed(before, folder())).toEqual([]);
  // The same length, and within the same tick of the clock.
  write({ "b.sh": "2" });
  expect(files.changed(before, folder())).toEqual(["b.sh"]);
  write({ "b.sh": "1" });
  expect(files.changed(before, folder())).toEqual([]);
  expect(files.changed(before, join(folder(), "not-here"))).toEqual([]);
});

it("knows a large file by its size and time of change", () => {
  write({ "big.bin": "" });
  const path = join(folder(), "big.bin");
  truncateSync(path, 5 * 2 ** 20);
  utimesSync(path, 1000, 1000);
  const files = stepFiles();
  const [big] = files.named({ command: "cat", args: ["big.bin"], cwd: folder() }, place());
  expect(big?.digest).toBe(`size:${5 * 2 ** 20}:1000000000000`);
  utimesSync(path, 1000, 2000);
  expect(files.changed(big ? [big] : [], folder())).toEqual(["big.bin"]);
});

it("makes one digest of all files that a pattern matches", () => {
  write({ "sub/lib/a.py": "1", "sub/lib/deep/b.py": "1", "sub/lib/c.txt": "1", "sub/node_modules/x/d.py": "1" });
  const files = stepFiles();
  const sub = place(join(folder(), "sub"));
  const matched = files.matched(["lib/*.py", "**/*.py", "lib/c.txt", "none/*"], sub);
  expect(matched.map(({ path, digest }) => [path, digest.split(":")[1]])).toEqual([
    ["sub/lib/*.py", "1"],
    ["sub/**/*.py", "2"],
    ["sub/lib/c.txt", "1"],
    ["sub/none/*", "0"],
  ]);
  expect(files.changed(matched, folder())).toEqual([]);
  write({ "sub/lib/deep/b.py": "2" });
  expect(files.changed(matched, folder())).toEqual(["sub/**/*.py"]);
  write({ "sub/lib/new.py": "1" });
  expect(files.changed(matched, folder())).toEqual(["sub/lib/*.py", "sub/**/*.py"]);
});
