import fc from "fast-check";
import { expect, it } from "vitest";
import { fromTyped, typeable } from "./typeable.ts";

it.each([
  ["each[eu]", "each[eu]"],
  ["lone\ud800sur", "lone\\ud800sur"],
  ["zero\0", "zero\\u0000"],
  ["\u202ex", "\\u202ex"],
  ["bell\u0007 and\nline", "bell\\u0007 and\\u000aline"],
  ["a pair \u{1f600}", "a pair \u{1f600}"],
  ["C:\\temp", "C:\\temp"],
  ["C:\\u0041", "C:\\u005cu0041"],
])("%j is typed as %j, and read as it is", (text, typed) => {
  expect(typeable(text)).toBe(typed);
  expect(fromTyped(typed)).toBe(text);
});

it("can always be typed, and is always read again", () => {
  const odd = fc.oneof(
    fc.constantFrom("\\", "u", "d800", "\ud800", "\udc00", "\0", "005c"),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(fc.array(odd), (parts) => {
      const text = parts.join("");
      expect(typeable(text)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\p{Surrogate}/u);
      expect(fromTyped(typeable(text))).toBe(text);
    }),
  );
});
