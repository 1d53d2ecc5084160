// Letters from the page: what a retry would do is read before it is done, and what cannot be retried says why.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";
import { untilThere } from "./until-there.ts";

const BATCH = `
workflow: { name: batch, entry_point: all, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } }, input: { items: { type: array, default: [1, 2, 3] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    failure_mode: continue_on_error
    agent: { name: one, type: script, command: node, args: ["-e", "if ({{ item }} > 1 && !require('node:fs').existsSync('found')) process.exit(3)"], raises: [io.gone] }
    routes: [{ to: look }]
agents:
  - { name: look, type: script, command: node, args: ["-e", "console.log({{ all.succeeded }})"], routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: "{{ look.output.stdout }} were done. Ship?", options: [{ label: Ship, value: "yes", route: $end }] }
`;
const STOPPED = `
workflow: { name: stopped, entry_point: some, input: { items: { type: array, default: [0, 3] } }, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } } }
for_each:
  - name: some
    type: for_each
    source: workflow.input.items
    as: item
    failure_mode: continue_on_error
    agent: { name: lose, type: script, command: node, args: ["-e", "process.exit(require('node:fs').existsSync('mended') ? 0 : {{ item }})"], raises: [io.gone] }
    routes: [{ to: stop }]
agents:
  - { name: stop, type: terminate, status: failed, reason: Nothing is left to do }
`;
/** The same, but it goes on for a while. */
const GOES_ON = STOPPED.replace(
  /- \{ name: stop.*/,
  `- { name: stop, type: script, command: node, args: ${untilThere("enough")} }`,
);

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "batch.yaml": BATCH, "stopped.yaml": STOPPED, "goes-on.yaml": GOES_ON });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

describe.skipIf(isWithoutBrowser)("letters", () => {
  it("of an ended run are retried together, after one has read what runs again and who is asked again", async () => {
    const run = await served.run("batch.yaml");
    const here = await visit(served, "/gates");
    const { page } = here;
    await page.click('.gate input[value="yes"]');
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).toBe("degraded");
    await page.goto(`${served.url}/letters`);
    await page.getByRole("button", { name: "Retry these 2" }).click();
    const dialog = page.locator("[role=dialog]");
    await dialog.locator(".scenes").waitFor();
    const plan = await dialog.textContent();
    expect(plan).toContain("Retry 2 letters?");
    expect(plan).toMatch(/It runsall 2 members/);
    expect(plan).toContain("if those give something else: look");
    expect(plan).toContain("ask asks again if what people are shown there comes out different");
    await dialog.getByRole("button", { name: "No" }).click();
    await page.getByRole("button", { name: "Retry one 2" }).click();
    await dialog.locator(".scenes").waitFor();
    await expect.poll(() => dialog.textContent()).toMatch(/It runsall 1 member/);
    await dialog.getByRole("button", { name: "Close" }).click();
    writeFileSync(join(served.root, "found"), "");
    await page.getByRole("button", { name: "Retry these 2" }).click();
    await dialog.getByRole("button", { name: "Retry 2" }).click();
    await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).toBe("paused");
    await page.locator(".empty", { hasText: "No letter" }).waitFor();
    quiet(here);
  });

  it("of a run that goes on say why they cannot be retried now", async () => {
    const { run_id: run } = (await served.post("/api/runs", { file: "goes-on.yaml" })).body;
    await expect.poll(async () => (await served.get(`/api/letters?run=${run}`)).body.letters.length).toBe(1);
    const here = await visit(served, `/letters?run=${run}`);
    const { page } = here;
    await page.locator(".l-run", { hasText: "its run is being driven" }).waitFor();
    expect(await page.getByRole("button", { name: /^Retry/ }).count()).toBe(0);
    await page.goto(`${served.url}/runs/${run}?step=lose&item=1`);
    await page.locator(".step-panel, .step-body", { hasText: "cannot be retried now" }).first().waitFor();
    writeFileSync(join(served.root, "enough"), "");
    await page.waitForSelector(".banner.is-recovered");
    quiet(here);
  });

  it("are dropped one by one and together, and not by Enter alone", async () => {
    const run = await served.run("stopped.yaml", { items: [1, 2, 3] });
    const here = await visit(served, `/letters?run=${run}`);
    const { page } = here;
    const dialog = page.locator("[role=dialog]");
    await page.getByRole("button", { name: "Drop lose 2" }).click();
    await dialog.waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".l-what").count()).toBe(3);
    await page.getByRole("button", { name: "Drop lose 2" }).click();
    await dialog.getByRole("button", { name: "Drop" }).click();
    await page.getByRole("button", { name: "Drop these 2" }).click();
    await dialog.getByRole("button", { name: "Drop 2" }).click();
    await page.locator(".empty", { hasText: "No letter" }).waitFor();
    await page.goto(`${served.url}/letters?run=${run}&all=1`);
    await expect.poll(() => page.locator(".l-state", { hasText: "dropped" }).count()).toBe(3);
    quiet(here);
  });

  it("of a run that its workflow ended are retried alone, and the run stays as it ended", async () => {
    const run = await served.run("stopped.yaml");
    writeFileSync(join(served.root, "mended"), "");
    const here = await visit(served, `/letters?run=${run}`);
    const { page } = here;
    await page.getByRole("button", { name: "Retry lose 1" }).click();
    const dialog = page.locator("[role=dialog]");
    await dialog.locator(".scenes").waitFor();
    await dialog.getByRole("button", { name: "Retry" }).click();
    await page.locator(".empty", { hasText: "No letter" }).waitFor();
    expect((await served.get(`/api/runs/${run}`)).body.status).toBe("terminated");
    quiet(here);
  });
});
