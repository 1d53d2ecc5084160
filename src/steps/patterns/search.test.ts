import { describe, expect, it } from "vitest";
import { type PatternDialect, PatternTimeout, patternSearch } from "./search.ts";
import { translate } from "./translate.ts";

async function isIn(pattern: string, text: string, dialect: PatternDialect = "python") {
  const search = await patternSearch(dialect);
  const found = search.find(pattern, text);
  if (found !== undefined) return found;
  await search.settle();
  return search.find(pattern, text);
}

describe("a pattern of Python", () => {
  it.each([
    ["^(?!draft).*$", "release-7", "draft-1"],
    ["(?<=v)\\d+", "v12", "x12"],
    ["(\\w)\\1", "foot", "fact"],
    ["(?P<q>['\"]).*(?P=q)", "'a'", "'a\""],
    ["^(?P<v>v)\\d+\\Z", "v7", "v7\n"],
    ["^\\w+$", "straße٣", "a b"],
    ["^\\d+$", "٣4\n", "4\n\n"],
    ["^[\\w-]+$", "grün-7", "a b"],
    ["^[^\\W\\d_]+$", "grün", "grün7"],
    ["\\bgrün\\b", "das ist grün.", "grünlich"],
    ["(?x) ^ a  # the first\n b $", "ab", "a b"],
    ["(?i)^release$", "Release", "releases"],
    ["(?i:re)lease", "RElease", "RELEASE"],
    ["(?s)a.b", "a\nb", "a\n\nb"],
    ["a.b", "a b", "a\nb"],
    ["(?m)^b$", "a\nb\nc", "a\nbc"],
    ["^a{,2}$", "aa", "aaa"],
    ["^a{x}$", "a{x}", "aax"],
    ["^(a|b$)", "b\n", "bb"],
    ["a$\\n", "a\n", "a"],
    ["[]a]", "]", "b"],
    ["[a\\]-]", "-", "b"],
    ["^[[:alpha:]]+$", "grün", "grün7"],
    ["^\\S+@\\S+\\.\\S+$", "a@b.c", "a b@c"],
    ["\\x41\\u0042\\103", "ABC", "abc"],
    ["👍{2}", "👍👍", "👍"],
    ["(?a)^\\w+$", "abc", "grün"],
    ["^\\s$", "\u00a0", "a"],
    ["^(?#nothing)a", "a", "b"],
  ])("%s is in %j and not in %j", async (pattern, yes, no) => {
    expect(await isIn(pattern, yes)).toBe(true);
    expect(await isIn(pattern, no)).toBe(false);
  });

  it.each(["a++", "(?>a)", "(?(1)a|b)", "[a", "(a", "a)", "\\q", "(?R)", "[b-a]", "(?z)a", "\\1"])(
    "%s cannot be used, and it is said why",
    (pattern) => expect(translate(pattern).problem).toEqual(expect.stringMatching(/.{10}/)),
  );

  it("runs in linear time where that can be", () => {
    for (const pattern of ["^\\w+$", "\\bv\\d+", "(?P<a>x)", "a\\Z", "(?x) a"])
      expect(translate(pattern).linear.ascii).toBeDefined();
    expect(translate("(?=a)").linear).toEqual({});
  });
});

it("a pattern of RE2 means what RE2 says, and Python's is read where RE2 cannot", async () => {
  expect(await isIn("^\\d+$", "4\n", "re2")).toBe(false);
  expect(await isIn("^\\d+$", "٣", "re2")).toBe(false);
  expect(await isIn("^a\\z", "a", "re2")).toBe(true);
  expect(await isIn("^(?!draft)", "x", "re2")).toBe(true);
});

it("a pattern that does not come to an end is ended, and the next one is answered", async () => {
  const search = await patternSearch("python", 1);
  const text = `${"a".repeat(40)}!`;
  expect(search.find("^(?=(a+)+$)", text)).toBeUndefined();
  await expect(search.settle()).rejects.toThrow(PatternTimeout);
  expect(await isIn("^(?=a)", "a")).toBe(true);
});
