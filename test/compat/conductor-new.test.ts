// Examples of Conductor after 0.1.33, unchanged: what has no effect here is a warning.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { validateWorkflow } from "../../src/language/validate.ts";
import { memoryWorld } from "../support/engine/memory-world.ts";

const folder = resolve(import.meta.dirname, "conductor-new");
const ENVIRONMENT = ".conductor/environments/demo.yaml";

const findingsOf = (name: string) =>
  validateWorkflow(
    `/w/${name}`,
    memoryWorld(Object.fromEntries([name, ENVIRONMENT].map((one) => [one, readFileSync(join(folder, one))]))),
    { asChild: false },
  ).findings;

const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
/** Its condition names what Conductor itself does not have at run time. */
const MISTAKEN = "compaction.yaml";

it.each(names.filter((name) => name !== MISTAKEN))("%s loads", (name) => {
  expect(findingsOf(name).filter(({ severity }) => severity === "error")).toEqual([]);
});

it(`${MISTAKEN} is told what it names`, () => {
  const errors = findingsOf(MISTAKEN).filter(({ severity }) => severity === "error");
  expect(errors).not.toEqual([]);
  expect(errors.every(({ message }) => message.includes("current_loop"))).toBe(true);
});
