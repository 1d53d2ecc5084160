// The cheat sheet holds what runs: its scenario passes, and what its sentences give as examples does what they say.
import { afterAll, expect, it } from "vitest";
import { testScenarios } from "../../src/features/scenarios/test.ts";
import { validateFiles } from "../../src/services/workflows/validate.ts";
import { Playground } from "../support/play.ts";
import { blocksOf, pages } from "./markdown.ts";

const page = pages.find(({ name }) => name === "docs/cheat-sheet.md")!;
const ground = new Playground();
afterAll(() => ground.close());

it("has a scenario that passes", async () => {
  for (const { file, text } of blocksOf(page)) if (file) ground.write({ [file]: text });
  const { scenarios } = await testScenarios(ground.session, { paths: ["tests"] });
  expect(scenarios.map(({ problems }) => problems)).toEqual([[]]);
});

it("has templates for what may be missing that give what is there instead", async () => {
  const [step = "", field = ""] = [...page.text.matchAll(/`(\{\{ x\.output\.y [^`]+)`/g)].map(([, text]) => text);
  ground.write({
    "missing.yaml": `
workflow: { name: missing, entry_point: first }
agents:
  - { name: first, type: set, value: { z: 1 } }
  - { name: x, type: set, value: { y: 1 } }
output: { step: "${step}", field: "${field.replace("x.", "first.")}" }
`,
  });
  expect((await ground.run("missing.yaml")).result).toMatchObject({
    status: "completed",
    output: { step: "-", field: "-" },
  });
});

it("names the types that take `timeout`, and no others", () => {
  const line = page.text.split("\n").find((one) => one.includes("`timeout: 60`")) ?? "";
  const types = [...page.text.matchAll(/^\| `(?!type)(\w+)` \|/gm)].map(([, type]) => type ?? "");
  const named = types.filter((type) =>
    line.slice(line.indexOf("On `agent`"), line.indexOf("`timeout")).includes(`\`${type}\``),
  );
  const takes = types.filter((type) => {
    ground.write({
      "one.yaml": `workflow: { name: w, entry_point: a }\nsteps: [{ name: a, type: ${type}, timeout: 60 }]\n`,
    });
    const { errors } = validateFiles({ cwd: ground.folder, env: {} }, { files: ["one.yaml"] });
    return !errors.some(({ message }) => message.includes("timeout"));
  });
  expect(named).toEqual(takes);
});
