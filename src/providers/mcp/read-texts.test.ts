import { expect, it } from "vitest";
import { readTexts } from "./read-texts.ts";

it.each([
  [{ type: "number" }, "105", 105],
  [{ type: "number" }, "1.5", 1.5],
  [{ type: "integer" }, "1.5", "1.5"],
  [{ type: ["integer", "null"] }, "7", 7],
  [{ type: ["integer", "null"] }, "null", null],
  [{ type: ["integer", "string"] }, "7", "7"],
  [{ type: "string" }, "105", "105"],
  [{}, "105", "105"],
  [undefined, "105", "105"],
  [{ type: "boolean" }, "True", true],
  [{ type: "boolean" }, "yes", "yes"],
  [{ type: "array" }, "[1, two]", [1, "two"]],
  [{ type: "array" }, "a, b", "a, b"],
  [{ type: "object" }, "label: 1", { label: 1 }],
  [{ type: "object" }, '{"a": [1]}', { a: [1] }],
  [{ type: "object" }, "{broken", "{broken"],
  [{ type: "number" }, "", ""],
  [{ type: "number" }, " ", " "],
  [{ anyOf: [{ type: "number" }, { type: "null" }] }, "3", 3],
  [{ anyOf: [{ type: "number" }, { type: "string" }] }, "3", "3"],
  [{ anyOf: [{ type: "number" }, {}] }, "3", "3"],
  [{ type: "array", items: { type: "number" } }, ["1", "x", 2], [1, "x", 2]],
  [
    { type: "object", properties: { n: { type: "number" } }, additionalProperties: { type: "boolean" } },
    { n: "1", other: "true", deep: { n: "1" } },
    { n: 1, other: true, deep: { n: "1" } },
  ],
  [{ type: "object", properties: {}, additionalProperties: false }, { toString: "1" }, { toString: "1" }],
])("%j reads %j as %j", (schema, given, value) => {
  expect(readTexts(schema, given)).toEqual(value);
});
