// What a face was given is what a run gets; what was only shown in place of a secret is not taken for the secret.
import { expect, it } from "vitest";
import { loadWorkflow } from "../../language/load.ts";
import { memoryWorld } from "../../language/memory-world.ts";
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
