import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runScript } from "./kept-code.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-code-"));
  file = join(folder, "chunk.js");
  writeFileSync(file, "(function(){return 42})");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const answer = (): unknown => (runScript(file).value as () => unknown)();
const keptFile = (): string => join(folder, readdirSync(folder).find((name) => name.endsWith(".cache")) ?? "none");

describe("a script", () => {
  it("is compiled once, and kept", () => {
    runScript(file).keep?.();
    expect(readdirSync(folder)).toHaveLength(2);
    expect(runScript(file).keep).toBeUndefined();
    expect(answer()).toBe(42);
  });

  it.each([
    ["no compiled code", () => Buffer.from("nonsense")],
    ["empty", () => Buffer.alloc(0)],
    [
      "of another version",
      (good: Buffer) => Buffer.concat([good.subarray(0, 4), Buffer.alloc(4, 7), good.subarray(8)]),
    ],
  ])("is compiled again when what was kept is %s", (what, spoil) => {
    // Within one process V8 knows a text again, so each case has its own; of the text it compares the length only.
    writeFileSync(file, `(function(){return "${what}?"})`);
    const { keep } = runScript(file);
    keep?.();
    writeFileSync(file, `(function(){return "${what}!"})`);
    writeFileSync(keptFile(), spoil(readFileSync(keptFile())));
    const again = runScript(file);
    expect((again.value as () => unknown)()).toBe(`${what}!`);
    expect(again.keep).toBeTypeOf("function");
  });

  it.skipIf(process.platform === "win32")("is compiled again when others could have written what was kept", () => {
    runScript(file).keep?.();
    for (const mode of [0o664, 0o646]) {
      chmodSync(keptFile(), mode);
      expect(runScript(file).keep).toBeTypeOf("function");
    }
  });

  it("runs from a folder that nothing can be kept in", () => {
    const { value, keep } = runScript(file);
    rmSync(folder, { recursive: true });
    expect(keep).not.toThrow();
    expect((value as () => unknown)()).toBe(42);
  });
});
