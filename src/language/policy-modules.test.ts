import { expect, it } from "vitest";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { validateWorkflow } from "./validate.ts";

const findingsOf = (module: string) => {
  const text = `workflow:
  name: w
  entry_point: a
  policies:
    - budget: 5
    - module: ${module}
agents: [{ name: a, type: set, value: 1 }]
`;
  const files = { "flows/main.yaml": text, "flows/policies/own.mjs": "throw new Error('loaded')", "outside.mjs": "" };
  return validateWorkflow("/w/flows/main.yaml", memoryWorld(files)).findings;
};

it("a policy module that is there is not loaded, and nothing is said of it", () => {
  expect(findingsOf("./policies/own.mjs")).toEqual([]);
  expect(findingsOf("/w/flows/policies/own.mjs")).toEqual([]);
});

it("a policy module that is not there is an error where it is named", () => {
  expect(findingsOf("./policies/onw.mjs")).toMatchObject([
    {
      rule: "missing-file",
      severity: "error",
      location: { file: "/w/flows/main.yaml", line: 6, column: 15 },
      message: expect.stringContaining("There is no file `/w/flows/policies/onw.mjs`"),
    },
  ]);
});

it("a policy module outside the folder is one that a run would not load", () => {
  expect(findingsOf("../outside.mjs")).toMatchObject([
    { rule: "unreadable-file", message: expect.stringContaining("not below this file's folder") },
  ]);
});
