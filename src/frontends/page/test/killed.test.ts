// A page that is open while the process of its run is killed: nobody writes an event of it, and the page learns of it.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const LONG = `
workflow: { name: long, entry_point: hold }
agents:
  - { name: hold, type: script, command: sh, args: ["-c", "while [ -e here ]; do sleep 0.1; done"], routes: [{ to: last }] }
  - { name: last, type: set, value: 1 }
`;

let served: Served;
let program: ChildProcess | undefined;
beforeAll(async () => {
  served = await Served.start({ "long.yaml": LONG });
  writeFileSync(join(served.root, "here"), "");
});
afterAll(async () => {
  program?.kill("SIGKILL");
  await closeBrowser();
  await served.close();
});

const newestRun = async (): Promise<{ readonly run_id: string; readonly status: string } | undefined> =>
  (await served.get("/api/runs")).body.runs[0];

it.skipIf(isWithoutBrowser)("shows without a reload that a run was cut off, and offers to resume it", async () => {
  program = spawn(process.execPath, [resolve("dist/main.cjs"), "run", "long.yaml", "-q"], {
    cwd: served.root,
    env: { ...served.session.env, SEGNO_HOME: served.home },
    stdio: "ignore",
  });
  await expect.poll(async () => (await newestRun())?.status).toBe("running");
  const { run_id: run } = (await newestRun()) ?? { run_id: "" };
  const list = await visit(served, "/");
  await list.page.waitForSelector(".status.is-running");
  const opened = await visit(served, `/runs/${run}?step=hold`);
  const { page } = opened;
  await page.waitForSelector('[data-node="hold"].is-running');
  await page.waitForSelector(".step .is-running");

  program.kill("SIGKILL");
  await page.waitForSelector(".banner.is-failed");
  await seen(page, "its process is gone and recorded no end");
  await page.waitForSelector('[data-node="hold"].is-failed');
  await page.locator(".step-head").getByText("cut off").waitFor();
  await expect.poll(() => page.locator(".facts-list").innerText()).not.toContain("runs for");
  await page.locator(".banner").getByRole("button", { name: "Resume", exact: true }).waitFor();
  await expect.poll(() => page.title()).toContain("crashed");
  await list.page.locator(".run-row").getByText("Crashed").waitFor();

  writeFileSync(join(served.root, "long.yaml"), LONG.replace("-e here", "-e nothing"));
  await page.locator(".banner").getByRole("button", { name: "Resume", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume", exact: true }).click();
  await page.waitForSelector(".banner.is-completed");
  quiet(opened);
  quiet(list);
});
