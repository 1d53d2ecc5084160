import { expect, it } from "vitest";
import { SourceText } from "./text.ts";

it("finds a place by line and character, and the other way around", () => {
  const text = new SourceText("one\ntwo\n\nfour");
  expect(text.starts).toEqual([0, 4, 8, 9]);
  expect(text.offset({ line: 1, character: 2 })).toBe(6);
  expect(text.position(6)).toEqual({ line: 1, character: 2 });
  expect(text.position(9)).toEqual({ line: 3, character: 0 });
  // Behind the end of a line is its end, and behind the last line the end of the text.
  expect(text.offset({ line: 0, character: 99 })).toBe(3);
  expect(text.offset({ line: 9, character: 0 })).toBe(13);
});
