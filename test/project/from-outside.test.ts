// A project's workflow, run by somebody who stands elsewhere: its plugins are not loaded there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runWorkflow } from "../../src/services/runs/run.ts";

const step = "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: shout }]\n";
const policy =
  "workflow: { name: w, entry_point: a, policies: [{ policy: weekdays }] }\nagents: [{ name: a, type: set, value: 1 }]\n";
const provider =
  "workflow: { name: w, entry_point: a, runtime: { provider: parrot } }\nagents: [{ name: a, type: agent, prompt: hi }]\n";

it.each([
  { name: "step type", text: step },
  { name: "policy", text: policy },
  { name: "provider", text: provider },
])("says from where a file can be run that needs a $name of its project's plugins", async ({ text }) => {
  const folder = mkdtempSync(join(tmpdir(), "segno-outside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [project, elsewhere] = [join(folder, "project"), join(folder, "elsewhere")];
  for (const one of [project, elsewhere]) mkdirSync(one);
  writeFileSync(join(project, "segno.yaml"), "plugins: [./plugins.mjs]\n");
  writeFileSync(join(project, "plugins.mjs"), "");
  writeFileSync(join(project, "w.yaml"), text);
  const { errors } = await runWorkflow(
    { cwd: elsewhere, env: { PATH: process.env.PATH }, home: join(folder, "home") },
    { file: join(project, "w.yaml"), inputs: {} },
  );
  expect(errors[0]?.message).toContain(`Plugins of ${project} may bring it, and they are loaded only for commands`);
  expect(errors[0]?.message).not.toContain("No plugin brings one");
});
