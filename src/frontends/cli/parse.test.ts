import { describe, expect, it } from "vitest";
import { flagOf, readOptions } from "./parse.ts";

const FLAGS = ["-i, --input <key=value>", "--home <dir>", "-q, --quiet", "-v, --verbose", "--no-color"].map((flags) =>
  flagOf({ flags, about: "" }),
);

const read = (line: string) => {
  const { operands, options, unknown, unfinished } = readOptions(line.split(" "), FLAGS);
  const { color: _, ...given } = Object.fromEntries(options);
  return { operands, given, unknown, ...(unfinished === undefined ? {} : { unfinished }) };
};

describe("reading options", () => {
  const none = { operands: [], given: {}, unknown: [] };
  it.each([
    ["a -q b", { ...none, operands: ["a", "b"], given: { quiet: true } }],
    ["-qv", { ...none, given: { quiet: true, verbose: true } }],
    ["-qia=1", { ...none, given: { quiet: true, input: ["a=1"] } }],
    ["-i a=1 --input=b=2 -ic=3", { ...none, given: { input: ["a=1", "b=2", "c=3"] } }],
    ["--home --quiet", { ...none, given: { home: ["--quiet"] } }],
    ["--home= x", { ...none, operands: ["x"], given: { home: [""] } }],
    ["x -- -q --home", { ...none, operands: ["x", "-q", "--home"] }],
    ["- -1 -.5", { ...none, operands: ["-", "-1", "-.5"] }],
    ["x --home", { ...none, operands: ["x"], unfinished: "--home" }],
    ["--quiet=yes", { ...none, unknown: ["--quiet=yes"] }],
    ["-qx --what -q", { ...none, given: { quiet: true }, unknown: ["-x", "--what"] }],
  ])("%s", (line, wanted) => {
    expect(read(line)).toEqual(wanted);
  });

  it("keeps --no-color as colour that is not wanted", () => {
    expect(readOptions([], FLAGS).options.get("color")).toBe(true);
    expect(readOptions(["--no-color"], FLAGS).options.get("color")).toBe(false);
  });
});
