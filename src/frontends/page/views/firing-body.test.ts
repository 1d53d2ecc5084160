import { expect, it } from "vitest";
import { firingBody } from "./operator-words.ts";

it.each([
  ["schedule", "", {}],
  ["webhook", '{ "ref": "main" }', { body: { ref: "main" } }],
  ["webhook", "  ", {}],
  ["webhook", "{ ref", expect.stringContaining("This is not JSON: ")],
  ["run", " B56NS2 ", { run: "B56NS2" }],
] as const)("of %s with %j is sent %j", (setOffBy, written, sent) => {
  expect(firingBody(setOffBy, written)).toEqual(sent);
});
