// The step panel of an agent that works in a folder: what it changed, as a table.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fake, startAgentFake } from "../fakes/index.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";

const CHANGES = {
  files: [
    { path: "src/sum.mjs", change: "modified", added: 1, removed: 2 },
    { path: "logo.png", change: "added", added: null, removed: null },
  ],
  added: 1,
  removed: 2,
};

let fake: Fake;
let served: Served;
beforeAll(async () => {
  fake = await startAgentFake({ answers: () => ({ json: { summary: "done", changes: CHANGES } }) });
  const provider = `{ name: anthropic, base_url: "${fake.url}", api_key: nobody }`;
  served = await Served.start({
    "fix.yaml": `
workflow: { name: fix, entry_point: fix, runtime: { provider: ${provider}, default_model: claude-sonnet-4-5 } }
agents:
  - { name: fix, prompt: Fix it., output: { summary: { type: string }, changes: { type: object } } }
`,
  });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
  await fake.close();
});

it.skipIf(isWithoutBrowser)("shows each file with the lines that came and went, and their sum", async () => {
  const run = await served.run("fix.yaml");
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
