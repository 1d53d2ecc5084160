// The examples are what people try first: they validate without a warning, and every error route of theirs is tested.
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { discoverScenarios } from "../../src/features/scenarios/file.ts";
import { runScenario } from "../../src/features/scenarios/run-scenario.ts";
import { testScenarios } from "../../src/features/scenarios/test.ts";
import { definedFiles } from "../../src/services/project/defined-files.ts";
import { listErrors } from "../../src/services/workflows/describe.ts";
import { validateFiles } from "../../src/services/workflows/validate.ts";

const gallery = readdirSync("examples/gallery").map((name) => `gallery/${name}/${name}.yaml`);
const examples = [...readdirSync("examples").filter((name) => name.endsWith(".yaml")), ...gallery];
const session = {
  cwd: process.cwd(),
  env: process.env,
  // Loaded by this process, which needs no trust; test/project/definitions.test.ts loads it as the program does.
  project: { loadDefinition: async (file: string) => definedFiles((await import(file)).default, file) },
};

it.each(examples)("%s validates without an error or a warning", (name) => {
  const { errors, warnings } = validateFiles(session, { files: [`examples/${name}`] });
  expect([...errors, ...warnings].map(({ message }) => message)).toEqual([]);
});

it("takes every error route of the examples in some scenario", async () => {
  const answer = await testScenarios(session, { paths: ["examples"], minErrorCoverage: 100 });
  expect(answer.scenarios.filter(({ passed }) => !passed)).toEqual([]);
  expect(answer.error).toBeNull();
  expect(answer.coverage?.error_routes_percent).toBe(100);
});

it("gives every way through an example an output", async () => {
  const files = discoverScenarios(["examples"], process.cwd());
  const warned = files.map(async (file) => {
    const { events } = await runScenario(file, session, { checked: new Map() });
    return events.flatMap(({ type, data }) => (type === "warning" ? [`${file}: ${data.message}`] : []));
  });
  expect((await Promise.all(warned)).flat().filter((text) => text.includes("could not be rendered"))).toEqual([]);
});

it.each(gallery)("%s lets no error leave that is to be expected", (name) => {
  const { error } = listErrors(session, { file: `examples/${name}`, failOnUnhandled: true });
  expect(error).toBeNull();
});
