// Inputs on the command line and in a file, read by the types that a workflow declares.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll } from "vitest";
import { readInputs } from "../../src/frontends/cli/inputs.ts";
import { UsageError } from "../../src/frontends/cli/usage-error.ts";
import { loadWorkflow } from "../../src/language/load.ts";
import { inputsFor } from "../../src/services/drive/given-inputs.ts";
import { memoryWorld } from "../support/engine/memory-world.ts";
import { fuzz, textsLike } from "./door.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-fuzz-inputs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TYPES = ["string", "number", "boolean", "array", "object"];
const fields = TYPES.map((type) => `${type[0]}: { type: ${type}, required: false }`).join(", ");
const file = `workflow: { name: x, entry_point: a, input: { ${fields} } }\nagents: [{ name: a, type: set, value: 1 }]\n`;
const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": file }));
if (!workflow) throw new Error("the workflow of this test does not load");

fuzz({
  name: "inputs",
  inputs: fc.tuple(
    fc.array(textsLike("s=text", "n=1.5", "b=yes", "a=[1, 2]", 'o={"k": {"v": null}}', "a=@here", "s=-"), {
      maxLength: 4,
    }),
    fc.option(textsLike(JSON.stringify({ s: "x", n: 1, b: true, a: [1], o: { k: 1 } }))),
  ),
  enter([pairs, inFile]) {
    if (inFile !== null) writeFileSync(join(folder, "inputs.json"), inFile);
    try {
      const from = { cwd: folder, command: "run", stdin: () => "from stdin" };
      return inputsFor(workflow, readInputs(pairs, inFile === null ? undefined : "inputs.json", from));
    } catch (problem) {
      if (problem instanceof UsageError) return problem.message;
      throw problem;
    }
  },
});
