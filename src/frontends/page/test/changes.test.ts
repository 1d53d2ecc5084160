// The step panel of an agent that works in a folder: what it changed, as a table.
import { afterAll, beforeAll, expect, it } from "vitest";
import { runWorkflow } from "../../../services/runs/run.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";

const CHANGES = {
  files: [
    { path: "src/sum.mjs", change: "modified", added: 1, removed: 2 },
    { path: "logo.png", change: "added", added: null, removed: null },
  ],
  added: 1,
  removed: 2,
};

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "fix.yaml":
      "workflow: { name: fix, entry_point: fix, runtime: { provider: codex } }\nagents: [{ name: fix, prompt: Fix it. }]\n",
    "fix.scenario.yaml": `workflow: fix.yaml\nagent_scripts: { fix: [{ content: done, changes: ${JSON.stringify(CHANGES)} }] }\n`,
  });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

it.skipIf(isWithoutBrowser)("shows each file with the lines that came and went, and their sum", async () => {
  const { run_id: run } = await runWorkflow(served.session, {
    file: "fix.yaml",
    scenario: "fix.scenario.yaml",
    inputs: {},
  });
  const opened = await visit(served, `/runs/${run}?step=fix`);
  await opened.page.waitForSelector(".changes");
  const rows = await opened.page.locator(".changes tr").allInnerTexts();
  expect(rows.map((row) => row.split(/\s*\t\s*/).join(" | "))).toEqual([
    "File | Change | Added | Removed",
    "src/sum.mjs | modified | +1 | −2",
    "logo.png | added | – | –",
    "2 files | +1 | −2",
  ]);
  quiet(opened);
});
