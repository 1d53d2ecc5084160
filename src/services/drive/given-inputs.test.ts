// What a face was given is what a run gets; what was only shown in place of a secret is not taken for the secret.
import { expect, it } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { asGivenInputs } from "../../features/triggers/fire.ts";
import { loadWorkflow } from "../../language/load.ts";
import { inputsFor } from "./given-inputs.ts";

const FILE = `
workflow: { name: x, entry_point: a, input: { key: { type: string, secret: true }, note: { type: string, default: "" } } }
agents: [{ name: a, type: set, value: 1 }]
`;
const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": FILE }));
if (!workflow) throw new Error("the workflow of this test does not load");

it.each([{ text: "<redacted>" }, { value: "<redacted>" }])("refuses the mark of a secret as the secret: %j", (key) => {
  expect(inputsFor(workflow, { key })).toMatchObject({
    ok: false,
    problems: [
      {
        input: "key",
        message: "the input key is a secret, and <redacted> is what is shown in its place",
        hint: "Give the secret itself.",
      },
    ],
  });
});

it("says what else is wrong at the same time", () => {
  const resolved = inputsFor(workflow, { key: { text: "<redacted>" }, noet: { text: "x" } });
  expect(resolved.ok ? [] : resolved.problems.map(({ input }) => input)).toEqual(["noet", "key"]);
});

it("takes the same words in an input that is no secret", () => {
  const given = { key: { text: "k3y" }, note: { text: "<redacted>" } };
  expect(inputsFor(workflow, given)).toEqual({ ok: true, inputs: { key: "k3y", note: "<redacted>" } });
});

const taking = (input: string) => {
  const file = `workflow: { name: x, entry_point: a${input} }\nagents: [{ name: a, type: set, value: 1 }]\n`;
  const loaded = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": file })).workflow;
  if (!loaded) throw new Error("the workflow of this test does not load");
  return loaded;
};

it("a name that JavaScript keeps for itself is refused, as any that there is not", () => {
  const given = JSON.parse('{"__proto__":{"value":{"a":1}}}');
  const saying = (input: string) => {
    const resolved = inputsFor(taking(input), given);
    return resolved.ok ? resolved : resolved.problems.map(({ message }) => message);
  };
  expect(saying(", input: { n: { type: number, default: 1 } }")).toEqual([
    "there is no input __proto__; the workflow takes n",
  ]);
  expect(saying("")).toEqual(["`__proto__` cannot be the name of an input: JavaScript keeps it for itself"]);
});

it.each([
  ["1.10", "1.10"],
  ["0012345", "0012345"],
  ["1e3", "1e3"],
  ["42", 42],
  ["true", true],
  ["[1]", [1]],
])("a file that declares no inputs reads %s as %j", (text, value) => {
  expect(inputsFor(taking(""), { v: { text } })).toEqual({ ok: true, inputs: { v: value } });
});

it.each([
  ["string", "1.10", "1.10"],
  ["number", "1.10", 1.1],
  ["number", " 1_000 ", 1000],
  ["array", "null", null],
])("a %s that is given as %j is %j", (type, text, value) => {
  const input = `, input: { v: { type: ${type}, required: false } }`;
  expect(inputsFor(taking(input), { v: { text } })).toEqual({ ok: true, inputs: { v: value } });
});

it("says how a value is kept that is not of its type", () => {
  const hint = (type: string, given: Parameters<typeof inputsFor>[1][string]) => {
    const resolved = inputsFor(taking(`, input: { v: { type: ${type} } }`), { v: given });
    return resolved.ok ? undefined : resolved.problems[0]?.hint;
  };
  expect(hint("string", { value: 1.1 })).toContain("Put it in quotes");
  expect(hint("number", { text: "9007199254740993" })).toContain("declare the input as a string");
});

it.each([
  ["", Infinity],
  [", input: { v: { type: number } }", Infinity],
  [", input: { v: { type: object } }", { list: [Number.NaN] }],
])("refuses a number that the journal cannot hold, in a file with%s", (input, value) => {
  expect(inputsFor(taking(input), { v: { value } })).toMatchObject({ ok: false, problems: [{ input: "v" }] });
});

it("what a trigger's template gives is read by the declared type", () => {
  const input = ", input: { n: { type: number }, s: { type: string }, o: { type: object } }";
  const given = asGivenInputs({ n: "42", s: 42, o: { a: 1 } });
  expect(inputsFor(taking(input), given)).toEqual({ ok: true, inputs: { n: 42, s: "42", o: { a: 1 } } });
  expect(inputsFor(taking(""), given)).toEqual({ ok: true, inputs: { n: "42", s: 42, o: { a: 1 } } });
});
