// The quick reader says what the YAML library says, or nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conductorFiles } from "../../../test/compat/conductor-files.ts";
import { runs } from "../../../test/support/property-runs.ts";
import { composeWithLibrary } from "../compose.ts";
import { sourceFile, type Tree } from "../tree.ts";
import { quickTree } from "./yaml.ts";

/** All that matters of a tree: values, styles and places. */
function shape(tree: Tree): unknown {
  const start = tree.place.start;
  switch (tree.kind) {
    case "scalar":
      // Where nothing stands is a matter of taste: after the colon, or after the blanks behind it.
      if (start === tree.content.end) return ["nothing", tree.value];
      return [start, tree.content.end, tree.style, Object.is(tree.value, -0) ? "-0" : tree.value];
    case "list":
      return [start, tree.size, tree.depth, tree.items.map(shape)];
    case "mapping":
      return [
        start,
        tree.size,
        tree.depth,
        [...tree.entries].map(([name, { key, value }]) => [name, key.start, key.end, shape(value)]),
      ];
  }
}

/** Whether the quick reader took the file; fails when it took it differently. */
function agrees(text: string): boolean {
  const source = sourceFile("/w/main.yaml", text);
  const quick = quickTree(source);
  if (!quick) return false;
  const { tree, problems } = composeWithLibrary(source, () => []);
  expect(problems).toEqual([]);
  expect(tree && shape(tree)).toEqual(shape(quick));
  return true;
}

const SAMPLE = `# A comment
workflow:
  name: sample   # another
  version: 1.10
  entry_point: probe
  empty:
  limits: { max_iterations: 50, on: true, off: False, none: ~, list: [1, -2.5, 1e3, +4, -0] }
agents:
- name: probe
  type: script
  args: [-c, "echo \\"hi\\" \\u00e4", 'it''s', a b c, $end,
    next, last]

  routes:
    - { on_error: [a.b, "a.*"], retry: { max: 3 }, when: "{{ x }}" }
    - to: "$end" # comment

- name: review
  prompt: |
    Look at {{ probe.output }}

      indented: yes
    # not a comment
  other: |-
    no newline

  folded: >
    one
    two

    three
  kept: |+
    text

  url: http://example.com/a#b
  quoted key: x
output:
  - - nested
    - list
  - key: value
    "quoted": 'single'
  -
    below: it
  -
`;

describe("what the quick reader takes is what the library takes", () => {
  it.each<[string, boolean]>([
    [SAMPLE.replace("  quoted key: x\n", ""), true],
    ["a: 1", true],
    ["a: 1\n", true],
    ["a:\n- 1\n- 2\nb:\n  - 3\n", true],
    ["a: {}\nb: []\n", true],
    ["a: {b: c}\n", true],
    ["a: |\n  x\n\n\n\nb: 1\n", true],
    ["- a\n- b: 1\n  c: 2\n-   d: 3\n    e: 4\n", true],
    ["'a b': \"c: d\" # e\n", true],
    ["a: {\n  b: c,\n  d: [e,\n    f\n  ]\n  }\n", true],
    ["a: x y\n  z\n", false],
    ["a: &x 1\nb: *x\n", false],
    ["a: !file x\n", false],
    ["a: b: c\n", false],
    ["a: 1\na: 2\n", false],
    ["a:\n\tb: 1\n", false],
    ["a: 1\r\nb: 2\r\n", false],
    ["a: 1\n---\nb: 1\n", false],
    ["<<: {a: 1}\n", false],
    ["a: 0x1F\n", false],
    ["a: |2\n   x\n", false],
    ["a: >\n  x\n   y\n", false],
    ['a: "x\n  y"\n', false],
    ["a: {b: }\n", false],
    ["a: {b}\n", false],
    ["a: [b: c]\n", false],
    ["a: {b: c\n", false],
    ["a: {b: c}}\n", false],
    ["a: @x\n", false],
    ["a: {{ x }}\n", false],
    ["  a: 1\n b: 2\n", false],
    ["hello\n", false],
    ["", false],
  ])("%j", (text, taken) => {
    expect(agrees(text)).toBe(taken);
  });

  const texts = conductorFiles().map(({ text }) => text);

  it("in Conductor's examples, nearly all of which it takes", () => {
    expect(texts.filter(agrees).length).toBeGreaterThan(texts.length * 0.8);
  });

  it("in files with pieces cut out, doubled, swapped and scribbled over", () => {
    const junk = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ": ",
      "- ",
      "-",
      "\n",
      "\n  ",
      "\n\n",
      " ",
      "  ",
      "'",
      '"',
      "|",
      ">",
      "|\n",
      "&a ",
      "*a",
      "!t ",
      "#",
      " #",
      ",",
      "?",
      "? ",
      "é",
      "null",
      "0",
      "-1",
      ".5",
      "\\",
      "a: ",
      "- a\n",
      "~",
      "%",
      "@",
      "\u00a0",
    );
    const edit = fc.record({ at: fc.nat(), cut: fc.nat(12), put: fc.oneof(junk, fc.string({ maxLength: 4 })) });
    const source = fc.constantFrom(SAMPLE, ...texts.filter((text) => text.length < 4000));
    fc.assert(
      fc.property(source, fc.nat(), fc.nat(), fc.array(edit, { maxLength: 4 }), (text, from, length, edits) => {
        // A few lines of a file are mangled as well as a whole one, and sooner.
        const lines = text.split("\n");
        const first = from % lines.length;
        let mangled = `${lines.slice(first, first + 1 + (length % 25)).join("\n")}\n`;
        for (const { at, cut, put } of edits) {
          const where = at % (mangled.length + 1);
          mangled = mangled.slice(0, where) + put + mangled.slice(where + cut);
        }
        agrees(mangled);
      }),
      { numRuns: runs(2000) },
    );
  });

  it("in small texts of YAML's own signs", () => {
    const sign = fc.constantFrom(
      "a",
      "b: ",
      "c:",
      "- ",
      "\n",
      "\n  ",
      "\n    ",
      " ",
      "{",
      "}",
      "[",
      "]",
      ", ",
      '"',
      "'",
      "#",
      " # x",
      "|",
      ">-",
      "1",
      "x y",
      ":",
      "-",
      "\n- ",
      "\n  - ",
      "d: e\n",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 14 }), (signs) => void agrees(signs.join(""))),
      { numRuns: runs(5000) },
    );
  });
});
