import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";
import { jsonText, plain, plainButColors } from "./harmless.ts";

describe("text from outside", () => {
  it.each([
    ["moves of the cursor", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["titles and links", "a\u001b]0;title\u0007\u001b]8;;http://x\u001b\\b", "ab"],
    ["device strings", "a\u001bPq\u001b\\\u001b_x\u001b\\b", "ab"],
    ["the one-byte forms of all these", "a\u009b2J\u009d0;t\u009cb", "ab"],
    ["a terminal's reset", "a\u001bcb", "ab"],
    ["a sequence that never ends", "a\u001b]0;b", "a0;b"],
    ["bells, backspaces, returns and DEL", "a\u0007\u0008\r\u007fb", "ab"],
    ["what turns the order of letters round", "a\u202e\u2066\u200f\u061cb", "ab"],
  ])("loses %s", (_, text, shown) => {
    expect([plain(text), plainButColors(text)]).toEqual([shown, shown]);
  });

  it("keeps lines, tabs and every letter", () => {
    expect(plain("é\t漢字\n👩‍💻 ✓")).toBe("é\t漢字\n👩‍💻 ✓");
  });

  it("keeps our own colours and no others", () => {
    const { bold, dim, red, green, yellow, cyan, italic, underline, strikethrough } = createColors(true);
    const own = [bold, dim, red, green, yellow, cyan, italic, underline, strikethrough]
      .map((paint) => paint("x"))
      .join("");
    expect(plainButColors(`${own}\u001b[8mhidden\u001b[38;5;1m`)).toBe(`${own}hidden`);
  });
});

it("JSON is escaped where a terminal would listen, and has the same value", () => {
  const value = { "k\u009b": "\u007f\u0085\u2028\u202e\u001b[2J", list: ["\u2066"] };
  const text = jsonText(value, 2);
  expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  expect(JSON.parse(text)).toEqual(value);
});
