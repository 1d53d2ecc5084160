import { describe, expect, it } from "vitest";
import { hang, widthOf } from "./width.ts";

const RED = "\u001b[31m";
const END = "\u001b[39m";

describe("a sign with words after it", () => {
  it("is broken at words, with the rest below the words", () => {
    expect(hang("▲", "three little words here", 14)).toBe("▲ three little\n  words here");
    expect(hang("  ✗", "three little words", 16)).toBe("  ✗ three little\n    words");
  });

  it("counts no colours", () => {
    const lines = hang(`${RED}▲${END}`, `${RED}three little words here${END}`, 14).split("\n");
    expect(lines.map(widthOf)).toEqual([14, 12]);
  });

  it("stays one line where there is no terminal", () => {
    const long = "word ".repeat(100).trim();
    expect(hang("▲", long, undefined)).toBe(`▲ ${long}`);
  });
});
