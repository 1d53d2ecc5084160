import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { lineDiff, patchText } from "./line-diff.ts";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe("a line diff", () => {
  it("has nothing to say of equal texts", () => {
    expect(lineDiff("a\nb\n", "a\nb\n")).toEqual([]);
  });

  it("shows a changed line with the lines around it", () => {
    const before = numbered(20);
    const after = before.with(9, "changed");
    expect(patchText("flows/a.yaml", before.join("\n"), after.join("\n"))).toBe(
      "--- a/flows/a.yaml\n+++ b/flows/a.yaml\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13\n",
    );
  });

  it("keeps distant changes apart", () => {
    const before = numbered(40);
    const after = before.with(2, "x").with(35, "y");
    expect(lineDiff(before.join("\n"), after.join("\n")).map(({ from }) => from)).toEqual([1, 33]);
  });

  it("leads from one text to the other, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    void fc.assert(
      fc.property(text, text, (before, after) => {
        // Without lines left out: every line is near a change.
        const lines = lineDiff(before.join("\n"), after.join("\n")).flatMap((hunk) => hunk.lines);
        const removed = lines.filter(({ sign }) => sign === "-").length;
        const added = lines.filter(({ sign }) => sign === "+").length;
        expect(added - removed).toBe((after.length || 1) - (before.length || 1));
        if (before.join("\n") !== after.join("\n")) expect(removed + added).toBeGreaterThan(0);
      }),
    );
  });
});

it("a patch is one that git applies", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-patch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const many = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  for (const [before, after] of [
    ["a\nb\nc\n", "a\nx\nc\n"],
    ["a\nb", "a\nc"],
    ["a", "b\na"],
    ["a\r\nb\r\n", "a\r\nc\r\n"],
    [many.join("\n"), many.with(1, "x").with(27, "y").with(29, "z").join("\n")],
    [`${many.join("\n")}\n`, `${many.toSpliced(3, 2).toSpliced(20, 0, "new", "lines").join("\n")}\n`],
  ] as const) {
    writeFileSync(join(folder, "a.yaml"), before);
    const git = (...args: string[]) =>
      spawnSync("git", ["apply", ...args], {
        cwd: folder,
        input: patchText("a.yaml", before, after),
        encoding: "utf8",
      });
    expect(git("--check").stderr).toBe("");
    git();
    expect(readFileSync(join(folder, "a.yaml"), "utf8")).toBe(after);
  }
});
