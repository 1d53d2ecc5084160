// A run that is started again gets the inputs of the run that it is like, and never what stood in their place on the page.
import { describe, expect, it } from "vitest";
import type { InputFieldJson } from "../../../server/contract/workflows.ts";
import { filledAgain, type Inputs, valuesOf } from "./field.tsx";

const field = (name: string, more: Partial<InputFieldJson> = {}): InputFieldJson => ({
  name,
  type: "string",
  required: true,
  schema: {},
  ...more,
});

const startedWith = (declared: readonly InputFieldJson[] | null, inputs: Inputs) => {
  const { fields, typed, marks } = filledAgain(declared, inputs);
  return valuesOf(fields, typed, marks);
};

describe("a value that is shown as it was given", () => {
  it.each<[string, Partial<InputFieldJson>, unknown]>([
    ["a text", {}, "1.0"],
    ["an empty text where there is a default", { default: "x", required: false }, ""],
    ["an empty text where one is needed", {}, ""],
    ["nothing where there is a default", { default: "x", required: false }, null],
    ["a text with line breaks", {}, "one\r\ntwo\n"],
    ["a number", { type: "number", default: 7, required: false }, 0],
    ["a boolean", { type: "boolean", default: true, required: false }, false],
    ["a list", { type: "array" }, [1, "two", null]],
    ["an object", { type: "object" }, { a: { b: "" } }],
  ])("is given again: %s", (_, more, value) => {
    expect(startedWith([field("it", more)], { it: value })).toEqual({ values: { it: value } });
  });

  it("is given again by name where the file takes any inputs", () => {
    const inputs = { a: "", b: 0, c: false, d: null, e: [1], f: { g: 1 }, h: "text" };
    expect(startedWith(null, inputs)).toEqual({ values: inputs });
  });

  it("is not given where the file does not take it any more, and that is said", () => {
    expect(filledAgain([field("new", { default: "x" })], { old: 1 })).toMatchObject({
      typed: { new: "x" },
      left: ["old"],
    });
  });
});

describe("a secret", () => {
  it.each<[string, Partial<InputFieldJson>, unknown]>([
    ["of a secret input", { secret: true }, "<redacted>"],
    ["of a secret input that is recorded by its name", { secret: true }, { $secret: "<redacted>" }],
    ["of an input that was secret then", {}, { $secret: "<redacted>" }],
    ["under a name that says so", {}, "<redacted>"],
    ["that is a number", { type: "number" }, "<redacted>"],
  ])("is asked for again: %s", (_, more, shown) => {
    const fields = [field("it", more)];
    const { typed, marks } = filledAgain(fields, { it: shown });
    expect(typed).toEqual({ it: "" });
    expect(valuesOf(fields, typed, marks)).toEqual({
      field: "it",
      problem: "it was a secret, and secrets are not shown: write it in again.",
    });
    expect(valuesOf(fields, { it: "42" }, marks)).toEqual({ values: { it: more.type === "number" ? 42 : "42" } });
  });

  it("inside a value is asked for until the last of them is written in again", () => {
    const fields = [field("it", { type: "object" })];
    const { typed, marks } = filledAgain(fields, { it: { note: "use <redacted> here", also: "<redacted>" } });
    const said = "A secret stood in it where it says <redacted>, and secrets are not shown: write it in again.";
    expect(valuesOf(fields, typed, marks)).toMatchObject({ problem: said });
    const once = (typed["it"] ?? "").replace("<redacted>", "k3y");
    expect(valuesOf(fields, { it: once }, marks)).toMatchObject({ problem: said });
    expect(valuesOf(fields, { it: once.replace("<redacted>", "k3y") }, marks)).toEqual({
      values: { it: { note: "use k3y here", also: "k3y" } },
    });
  });

  it("of an input that need not be given may also be left out, and whoever starts it is told so", () => {
    const left = field("it", { secret: true, required: false });
    expect(startedWith([left], { it: "<redacted>" })).toMatchObject({
      problem: "it was a secret, and secrets are not shown: write it in again, or leave it out.",
    });
    expect(valuesOf([left], { it: "" })).toEqual({ values: {} });
    expect(startedWith([field("it", { default: "x" })], { it: "a <redacted>" })).toMatchObject({
      problem: expect.stringMatching(/, or use the default\.$/),
    });
  });
});

it("whoever types the words of the mark into a fresh form means them", () => {
  expect(valuesOf([field("it")], { it: "print <redacted>" })).toEqual({ values: { it: "print <redacted>" } });
});
