// The error lens of a step's panel, while what becomes of the error is still open.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";

const HANDED = `
workflow: { name: handed, entry_point: raise }
agents:
  - { name: raise, type: script, command: "false", routes: [{ to: $end }, { on_error: "*", to: mend }] }
  - { name: mend, type: script, command: sh, args: ["-c", "until [ -e go ]; do sleep 0.05; done; exit 1"], raises: [app.no] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "handed.yaml": HANDED });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

it.skipIf(isWithoutBrowser)(
  "stands as the graph does once the step that an error was handed to has failed",
  async () => {
    const { body } = await served.post("/api/runs", { file: "handed.yaml" });
    const opened = await visit(served, `/runs/${body.run_id}?step=raise`);
    const { page } = opened;
    const verdict = page.locator(".lens .verdict");
    await verdict.locator(".is-recovered").getByText("Handed to").waitFor();
    writeFileSync(join(served.root, "go"), "");
    await page.waitForSelector('[data-node="raise"].is-failed');
    await verdict.locator(".is-failed").getByText("Handed to").waitFor();
    await expect.poll(() => verdict.innerText()).toContain("mend did not get to its end");
    quiet(opened);
  },
);
