// The form of a workflow starts nothing that the command line would refuse.
import { expect, test } from "vitest";
import type { InputFieldJson } from "../../../server/contract/workflows.ts";
import { defaultsOf, valuesOf } from "./field.tsx";

const field = (more: Partial<InputFieldJson>): InputFieldJson =>
  ({ name: "version", type: "string", required: true, ...more }) as InputFieldJson;

test("an input that is needed and left empty is asked for, a text too", () => {
  expect(valuesOf([field({})], { version: "" })).toEqual({ field: "version", problem: "version is needed." });
  expect(valuesOf([field({})], {})).toMatchObject({ field: "version" });
});

test("an empty field with a default, or of an input that may be left out, is not sent", () => {
  expect(valuesOf([field({ default: "1.0" }), field({ name: "note", required: false })], {})).toEqual({ values: {} });
});

test("a default that holds a secret is not typed into its field: it would be sent as it is shown", () => {
  const fields = [field({ default: "use <redacted> here" }), field({ name: "note", default: "x" })];
  expect(defaultsOf(fields)).toEqual({ note: "x" });
});
