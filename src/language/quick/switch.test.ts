// A file loads to the same workflow and the same findings, whether it is read quickly or not.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conductorFiles } from "../../../test/compat/conductor-files.ts";
import { type Files, memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { runs } from "../../../test/support/property-runs.ts";
import { loadWorkflow } from "../load.ts";
import { readsQuickly } from "./yaml.ts";

/** All that loading says of a file, but for functions. */
function loaded(files: Files, name: string, env: Readonly<Record<string, string>>) {
  const { workflow, findings } = loadWorkflow(`/w/${name}`, memoryWorld(files, env));
  return {
    findings,
    definition: JSON.stringify(workflow?.definition),
    raw: JSON.stringify(workflow?.raw),
    standIns: workflow?.standIns,
    children: [...(workflow?.children.keys() ?? [])],
    places: workflow?.definition.agents.map(({ name: step }) => workflow.positions.at(workflow.pathOf(step))),
  };
}

const loadsTheSame = (files: Files, name: string): void =>
  expect(loaded(files, name, {})).toEqual(loaded(files, name, { SEGNO_QUICK: "off" }));

const examples = Object.fromEntries(
  readdirSync("examples", { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(yaml|md)$/.test(name))
    .map((name) => [name, readFileSync(join("examples", name), "utf8")]),
);
const conductor = Object.fromEntries(conductorFiles().map(({ name, text }) => [name, text]));

it("is on unless it is turned off", () => {
  expect([readsQuickly(memoryWorld({})), readsQuickly(memoryWorld({}, { SEGNO_QUICK: "off" }))]).toEqual([true, false]);
});

describe("quickly or not, the same is read", () => {
  it.each(Object.keys(examples).filter((name) => name.endsWith(".yaml")))("in the example %s", (name) =>
    loadsTheSame(examples, name),
  );

  it.each(Object.keys(conductor))("in Conductor's %s", (name) => loadsTheSame(conductor, name));

  it("in files whose lines were dropped, doubled and swapped by chance", () => {
    const texts = [...Object.values(conductor), ...Object.values(examples)].filter(
      (text) => text.startsWith("workflow:") && text.length < 5000,
    );
    const edit = fc.record({ line: fc.nat(), does: fc.constantFrom("drop", "double", "swap", "indent") });
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
        const lines = text.split("\n");
        for (const { line, does } of edits) {
          const index = line % lines.length;
          const [one = "", next = ""] = lines.slice(index, index + 2);
          if (does === "drop") lines.splice(index, 1);
          else if (does === "double") lines.splice(index, 0, one);
          else if (does === "swap") lines.splice(index, 2, next, one);
          else lines[index] = `  ${one}`;
        }
        loadsTheSame({ "main.yaml": lines.join("\n") }, "main.yaml");
      }),
      { numRuns: runs(150) },
    );
  });
});
