import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runScript } from "./kept-code.ts";

let folder: string;
let file: string;
let cache: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-code-"));
  file = join(folder, "chunk.js");
  cache = join(folder, "cache", "segno");
  write("42");
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

const write = (expression: string): void => writeFileSync(file, `(function(){return ${expression}})`);
const compiled = () => runScript(file, "run", cache);
const answer = (): unknown => (compiled().value as () => unknown)();
const keptFiles = (): string[] => readdirSync(cache).map((name) => join(cache, name));
const keptFile = (): string => keptFiles()[0] ?? "none";
const isPosix = process.platform !== "win32";

describe("a script", () => {
  it("is compiled once, and kept in the user's cache folder for this user alone", () => {
    compiled().keep?.write();
    expect(readdirSync(folder).sort()).toEqual(["cache", "chunk.js"]);
    expect(keptFiles()).toHaveLength(1);
    if (isPosix) {
      expect(statSync(cache).mode & 0o777).toBe(0o700);
      expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
    }
    expect(compiled().wasKept).toBe(true);
    expect(answer()).toBe(42);
  });

  it.each<readonly [string, (good: Buffer) => Buffer]>([
    ["no compiled code", () => Buffer.from("nonsense")],
    ["empty", () => Buffer.alloc(0)],
    ["cut short", (good) => good.subarray(0, good.length >> 1)],
    ["of one byte less", (good) => good.subarray(0, -1)],
    ["with a zeroed part", (good) => Buffer.from(good).fill(0, good.length >> 1, (good.length >> 1) + 64)],
    ["all zeros", (good) => Buffer.alloc(good.length)],
    ["with one bit turned", (good) => turned(good, good.length - 5)],
    ["of another version of V8", (good) => turned(good, 20)],
  ])("is compiled again when what was kept is %s", (what, spoil) => {
    // Within one process V8 knows a text again, so each case has its own.
    write(JSON.stringify(what));
    compiled().keep?.write();
    writeFileSync(keptFile(), spoil(readFileSync(keptFile())));
    const again = compiled();
    expect((again.value as () => unknown)()).toBe(what);
    again.keep?.write();
    expect(compiled().wasKept).toBe(true);
  });

  it("names its own place in stacks, not that of a copy which was compiled before", () => {
    write('new Error("here").stack');
    compiled().keep?.write();
    file = join(folder, "copied", "chunk.js");
    mkdirSync(join(folder, "copied"));
    write('new Error("here").stack');
    expect(answer()).toContain(file);
  });

  it("is compiled again when its text was changed to another of the same length", () => {
    write("43");
    compiled().keep?.write();
    write("44");
    expect(answer()).toBe(44);
    // Even where the code of one text stands under the name of the other.
    const [of43] = keptFiles();
    compiled().keep?.write();
    const of44 = keptFiles().find((path) => path !== of43) ?? "none";
    writeFileSync(of44, readFileSync(of43 ?? "none"));
    expect(compiled().wasKept).toBe(false);
    expect(answer()).toBe(44);
  });

  it.runIf(isPosix)("is compiled again when others could have written what was kept", () => {
    compiled().keep?.write();
    for (const mode of [0o664, 0o646, 0o640]) {
      chmodSync(keptFile(), mode);
      expect(compiled().wasKept).toBe(false);
    }
    chmodSync(keptFile(), 0o600);
    expect(compiled().wasKept).toBe(true);
    chmodSync(cache, 0o777);
    const { keep } = compiled();
    expect(keep).toBeDefined();
    rmSync(keptFile());
    keep?.write();
    expect(keptFiles()).toEqual([]);
  });

  it("runs where nothing can be kept: no cache folder, a file in its place, a text that is gone", () => {
    expect((runScript(file, "run", join(folder, "chunk.js", "segno")).value as () => unknown)()).toBe(42);
    runScript(file, "run", join(folder, "chunk.js", "segno")).keep?.write();
    const { value, keep } = compiled();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(() => keep?.write()).not.toThrow();
    expect((value as () => unknown)()).toBe(42);
  });

  it("keeps what later starts compiled of it too, but does not write it at every start", () => {
    const functions = Array.from(
      { length: 50 },
      (_, at) => `f${at}: () => { const all = [${at}]; return all.map((one) => one + 1) }`,
    );
    writeFileSync(file, `(function(){return {${functions.join(",")}}})`);
    const start = (name: string, later?: string): number => {
      const { value, keep } = compiled();
      const all = (value as () => Record<string, () => unknown>)();
      all[name]?.();
      if (later) keep?.take();
      all[later ?? name]?.();
      keep?.write();
      return statSync(keptFile()).size;
    };
    const [first, second] = [start("f1"), start("f2")];
    // What is compiled after it was taken is not.
    const third = start("f3", "f5");
    expect(third - second).toBeLessThan(1.5 * (second - first));
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(start("f4")).toBe(third);
    expect(compiled().wasKept).toBe(true);
    expect(compiled().keep).toBeUndefined();
  });

  it("removes what was kept long ago", () => {
    compiled().keep?.write();
    const old = keptFile();
    const left = `${old}.1234`;
    writeFileSync(left, "");
    const longAgo = new Date(Date.now() - 40 * 24 * 3600 * 1000);
    for (const path of [old, left]) utimesSync(path, longAgo, longAgo);
    writeFileSync(join(cache, "notes.txt"), "not ours");
    utimesSync(join(cache, "notes.txt"), longAgo, longAgo);
    write("'new'");
    compiled().keep?.write();
    const names = readdirSync(cache);
    expect(names).toHaveLength(2);
    expect(names).toContain("notes.txt");
    expect(keptFiles()).not.toContain(old);
  });
});

function turned(good: Buffer, at: number): Buffer {
  const bad = Buffer.from(good);
  bad.writeUInt8((bad.readUInt8(at) ^ 1) & 0xff, at);
  return bad;
}
