// The coverage lens plays scenarios of any folder that is opened: whatever they ask for, nothing of the folder is executed.
import { existsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import * as lsp from "vscode-languageserver/node";
import { Client } from "./client.ts";

let client: Client;
afterEach(() => client?.end());

const MARKS = "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('EXECUTED', import.meta.url), '');\n";
const MODULE = `${MARKS}export default { evaluate: () => ({ allowed: true }) };\n`;

/** Where the step would leave a trace of itself. */
const touching = (more = ""): string => `workflow: { name: w, entry_point: a${more} }
agents:
  - { name: a, type: script, command: node, args: ["{{ workflow.dir }}/own.mjs"] }
`;

async function titles(files: Readonly<Record<string, string>>, text = files["w.yaml"] ?? ""): Promise<string[]> {
  client = await Client.start({ "own.mjs": MODULE, ...files }, { PATH: process.env.PATH ?? "" });
  await client.open("w.yaml", text);
  const textDocument = { uri: client.uri("w.yaml") };
  const lenses = await client.connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
  return lenses?.map(({ command }) => command?.title ?? "") ?? [];
}

const ANSWER = "cli_scripts: [{ step: a, stdout: ok }]\n";

it.each([
  ["a step that is live", { "w.yaml": touching(), "w.scenario.yaml": "workflow: w.yaml\nlive: [a]\n" }],
  ["a scenario that is not strict", { "w.yaml": touching(), "w.scenario.yaml": "workflow: w.yaml\nstrict: false\n" }],
  [
    "what another scenario lets run, which this one extends",
    {
      "w.yaml": touching(),
      "base.scenario.yaml": "workflow: w.yaml\nlive: [a]\n",
      "w.scenario.yaml": "extends: base.scenario.yaml\n",
    },
  ],
  [
    "a policy's module",
    { "w.yaml": touching(", policies: [{ module: ./own.mjs }]"), "w.scenario.yaml": `workflow: w.yaml\n${ANSWER}` },
  ],
  [
    "a policy's module that the scenario puts in",
    {
      "w.yaml": touching(),
      "w.scenario.yaml": `workflow: w.yaml\n${ANSWER}set: { workflow.policies: [{ module: ./own.mjs }] }\n`,
    },
  ],
  [
    "a hook",
    {
      "w.yaml": touching(', hooks: { on_start: { command: node, args: ["{{ workflow.dir }}/own.mjs"] } }'),
      "w.scenario.yaml": `workflow: w.yaml\n${ANSWER}`,
    },
  ],
  [
    "a plugin of a project that is not trusted",
    {
      "w.yaml": touching(),
      "segno.yaml": "plugins: [./own.mjs]\n",
      ".git/HEAD": "",
      "w.scenario.yaml": `workflow: w.yaml\n${ANSWER}`,
    },
  ],
])("does not execute %s", async (_, files) => {
  expect(await titles(files)).toContain("graph");
  expect(existsSync(client.path("EXECUTED"))).toBe(false);
});

it("plays what the editor has, not what was saved", async () => {
  const saved = touching();
  const lenses = await titles(
    { "w.yaml": saved, "w.scenario.yaml": `workflow: w.yaml\n${ANSWER}` },
    `${saved.replace('own.mjs"] }', 'own.mjs"], routes: [{ to: b }] }')}  - { name: b, type: set, value: 1 }\n`,
  );
  expect(lenses.filter((title) => title.startsWith("taken by"))).toEqual([
    "taken by 1 of 1 scenarios",
    "taken by 1 of 1 scenarios",
  ]);
});
