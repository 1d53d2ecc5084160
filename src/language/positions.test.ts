import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { composeFile } from "./include.ts";
import type { NodePath } from "./loaded.ts";
import { Page } from "./page.ts";
import { sourceFile } from "./tree.ts";

function page(text: string, env: Record<string, string> = {}) {
  const world = memoryWorld({ "p.txt": "first\nsecond {{ x }}\n", "s.yaml": "k: v\n" }, env);
  const { tree, problems } = composeFile(sourceFile("/w/main.yaml", text), { world, sources: new Map() });
  if (!tree) throw new Error(problems.map((one) => one.message).join());
  return new Page(tree, env);
}

/** Where `@` stands in the source, and where it is said to stand when asked through the value. */
function marked(text: string, path: NodePath, env: Record<string, string> = {}) {
  const one = page(text, env);
  let value = one.value as Record<string | number, unknown> | string;
  for (const key of path) value = (value as Record<string | number, unknown>)[key] as string;
  const before = String(value).slice(0, String(value).indexOf("@"));
  const line = before.split("\n").length;
  const { line: foundLine, column } = one.positions.inside(path, line, before.length - before.lastIndexOf("\n"));
  const source = text.slice(0, text.indexOf("@"));
  return {
    said: `${foundLine}:${column}`,
    real: `${source.split("\n").length}:${source.length - source.lastIndexOf("\n")}`,
  };
}

describe("a place inside a text is found in the file", () => {
  it.each([
    ["plain", "a:\n  b: hello {{ @ }}\n"],
    ["plain over lines", "a:\n  b: hello\n    there\n\n    you {{ @ }}\n"],
    ["single quotes", "a: { b: 'it''s {{ @ }}' }\n"],
    ["double quotes", 'a: { b: "x\\n\\"y\\" \\u00e4 \\x41 {{ @ }}" }\n'],
    ["double quotes over lines", 'a:\n  b: "one\n    two \\\n    three\n\n    {{ @ }}"\n'],
    ["a literal block", "a:\n  b: |\n    one\n      two {{ @ }}\n    three\n"],
    ["a literal block with an empty line", "a:\n  b: |-\n\n    one\n\n    {{ @ }}\n"],
    ["a literal block that begins with spaces", "a:\n  b: |2\n      one\n    {{ @ }}\n"],
    ["a folded block", "a:\n  b: >\n    one\n    two\n\n    three {{ @ }}\n"],
    ["a folded block with an indented part", "a:\n  b: >-\n    one\n      more {{ @ }}\n    three\n"],
    ["windows line ends", "a:\r\n  b: |\r\n    one\r\n    {{ @ }}\r\n"],
  ])("%s", (_style, text) => {
    const { said, real } = marked(text, ["a", "b"]);
    expect(said).toBe(real);
  });

  it("behind a variable", () => {
    const { said, real } = marked("a: x ${LONG} y {{ @ }}\n", ["a"], { LONG: "very long indeed" });
    expect(said).toBe(real);
  });

  it("in an included text", () => {
    expect(page("a: !file p.txt\n").positions.inside(["a"], 2, 8)).toEqual({ file: "/w/p.txt", line: 2, column: 8 });
  });
});

describe("keys and values know where they stand", () => {
  const one = page("a:\n  - b: 1\n    c: two\n  - &x\n    d: [1, 2]\ne: *x\nf: !file s.yaml\ng:\n");
  it.each([
    ["at", ["a"], "2:3"],
    ["key", ["a"], "1:1"],
    ["at", ["a", 0, "c"], "3:8"],
    ["key", ["a", 0, "c"], "3:5"],
    ["key", ["a", 1], "5:5"],
    ["at", ["a", 1, "d", 1], "5:12"],
    ["at", ["e"], "6:4"],
    ["at", ["e", "d"], "5:8"],
    ["key", ["g"], "8:1"],
  ] as const)("%s %j is %s", (what, path, expected) => {
    const { line, column } = one.positions[what](path);
    expect(`${line}:${column}`).toBe(expected);
  });

  it("what is not in the file has its parent's place", () => {
    expect(one.positions.at(["a", 0, "nope", "deeper"])).toEqual(one.positions.at(["a", 0]));
  });

  it("included structure stands in its own file", () => {
    expect(one.positions.key(["f", "k"])).toEqual({ file: "/w/s.yaml", line: 1, column: 1 });
  });
});
