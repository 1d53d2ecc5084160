// What `\w`, `\d`, `\s` and the named classes of Python's patterns stand for.

/** Characters of classes, as they are written inside of brackets. */
export const ASCII_CLASSES = { w: "0-9A-Za-z_", d: "0-9", s: "\\t-\\r\\x20" };
const SPACES = ["\\t-\\r", "20", "85", "a0", "1680", "2000-200a", "2028", "2029", "202f", "205f", "3000"];
const OTHERS = ["0-8", "e-1f", "21-84", "86-9f", "a1-167f", "1681-1fff", "200b-2027", "202a-202e"];
const MORE_OTHERS = ["2030-205e", "2060-2fff", "3001-10ffff"];
const ranges = (parts: readonly string[], open: string): string =>
  parts.map((part) => (part.startsWith("\\") ? part : part.replace(/[0-9a-f]+/g, `${open}{$&}`))).join("");
const WORD = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}";
export const CLASSES = {
  re2: { w: `${WORD}\\x{200c}\\x{200d}`, d: "\\p{Nd}", s: ranges(SPACES, "\\x") },
  v8: { w: `${WORD}\\u200c\\u200d`, d: "\\p{Nd}", s: ranges(SPACES, "\\u") },
};
/** What is outside of a class, written as the inside of brackets. RE2 has no way to say it of words. */
export const NEGATED = {
  ascii: { w: "\\W", d: "\\D", s: ranges(["0-8", "e-1f", "21-10ffff"], "\\x") },
  any: { w: undefined, d: "\\P{Nd}", s: ranges([...OTHERS, ...MORE_OTHERS], "\\x") },
};

export const POSIX: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  digit: "\\p{Nd}",
  alnum: "\\p{L}\\p{Nd}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  punct: "\\p{P}",
};
