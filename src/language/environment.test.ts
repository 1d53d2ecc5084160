import { expect, it } from "vitest";
import { environmentNames, expand } from "./environment.ts";

const env = { A: "one", B: "${A}!", EMPTY: "", LOOP: "${LOOP}", JSON: "{}" };

it.each([
  ["${A}", "one"],
  ["x${A}y${A}z", "xoneyonez"],
  ["${B}", "one!"],
  ["${UNSET:-default}", "default"],
  ["${A:-default}", "one"],
  ["${EMPTY:-default}", "default"],
  ["${EMPTY}", ""],
  ["${UNSET:-${A}}", "one"],
  ['${UNSET:-{"a": {"b": 1}}}', '{"a": {"b": 1}}'],
  ["${UNSET:-}", ""],
  ["$${A}", "${A}"],
  ["$${A} ${A}", "${A} one"],
  ["${user.name} ${#x} ${} ${", "${user.name} ${#x} ${} ${"],
  ["${UNSET:-never closed", "${UNSET:-never closed"],
  ["$A {{ x }}", "$A {{ x }}"],
])("%s becomes %s", (text, expected) => {
  expect(expand(text, env)).toMatchObject({ text: expected, gaps: [] });
});

it("names the variables that are not set, where they stand", () => {
  expect(expand("a ${X} ${A} ${Y}", env).gaps).toEqual([
    { name: "X", offset: 2, reason: "unset" },
    { name: "Y", offset: 12, reason: "unset" },
  ]);
});

it("leaves what is not set to the shell when told so", () => {
  expect(expand("${X} ${A} ${X:-d}", env, { keepUnset: true })).toMatchObject({ text: "${X} one d", gaps: [] });
});

it("stops at variables that name one another without end", () => {
  expect(expand("${LOOP}", env).gaps).toEqual([{ name: "LOOP", offset: 0, reason: "endless" }]);
  const wide = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`V${i}`, `\${V${i + 1}}`.repeat(10)]));
  expect(expand("${V0}", { ...wide, V10: "x" }).gaps.length).toBeGreaterThan(0);
});

it("lists the names that a value takes from the environment", () => {
  expect(environmentNames({ a: ["${B} ${A:-${C}}", 5], b: { c: "$${NOT} ${A}" }, d: null })).toEqual(["A", "B", "C"]);
});
