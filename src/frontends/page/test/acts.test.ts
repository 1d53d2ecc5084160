// What a person does from the page: the whole way by keyboard alone, and every act once, recorded with who did it.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApi } from "../../../../test/resilience/api.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { listBreakers } from "../../../services/resilience/breakers.ts";
import { personHere } from "../../../services/session/people.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const WHOLE = `
workflow: { name: whole, entry_point: ask }
agents:
  - { name: ask, type: human_gate, prompt: Fetch it?, options: [{ label: Yes, value: "yes", route: fetch }, { label: No, value: "no", route: $end }] }
  - { name: fetch, type: script, command: node, args: ["-e", "if (!require('node:fs').existsSync('ok')) { console.error('it is not there'); process.exit(3) }"], raises: [io.gone] }
`;
const SLOW = `
workflow: { name: slow, entry_point: wait }
agents: [{ name: wait, type: script, command: node, args: ["-e", "if (!require('node:fs').existsSync('quick')) setTimeout(() => {}, 600000)"] }]
`;
const LOSES = `
workflow: { name: loses, entry_point: all, input: { items: { type: array, default: [1, 2, 3] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    failure_mode: continue_on_error
    agent: { name: one, type: script, command: node, args: ["-e", "if ({{ item }} === 2 && !require('node:fs').existsSync('found')) process.exit(3)"], raises: [io.gone] }
agents: []
`;
const COUNTS = `
workflow: { name: counts, entry_point: a, limits: { max_iterations: 2 } }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: b }] }
  - { name: b, type: set, value: 2, routes: [{ to: c }] }
  - { name: c, type: set, value: 3 }
`;
const calls = (url: string): string => `
workflow: { name: calls, entry_point: call, resilience: { dead_letter: true, circuit_breaker: { failure_threshold: 1, recovery_timeout: 10m } } }
agents: [{ name: call, type: http, url: "${url}/x", timeout: 60 }]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "whole.yaml": WHOLE, "slow.yaml": SLOW, "loses.yaml": LOSES, "counts.yaml": COUNTS });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const eventsOf = async (run: string, type: string): Promise<readonly RunEvent[]> =>
  (await served.get(`/api/runs/${run}/events?limit=500&type=${type}`)).body.events;

async function tabTo(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector);
  for (let pressed = 0; pressed < 80; pressed++) {
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never comes to ${selector}`);
}

describe.skipIf(isWithoutBrowser)("by keyboard alone", () => {
  it("a run is started, watched, its gate answered, its error read, and it is resumed", async () => {
    const here = await visit(served, "/");
    const { page } = here;
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await seen(page, "whole.yaml");
    await page.keyboard.press("/");
    await page.keyboard.type("whole");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await tabTo(page, "tbody a");
    await page.keyboard.press("Enter");
    await tabTo(page, "button[type=submit]");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\//);
    const run = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    await page.waitForSelector('[data-node="ask"].is-waiting');
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await tabTo(page, '.gate input[value="yes"]');
    await page.keyboard.press("Space");
    await page.keyboard.press("Control+Enter");
    await seen(page, "No questions are waiting");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.waitForSelector(".run-row .is-failed");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".banner.is-failed");
    for (let pressed = 0; pressed < 3 && !page.url().includes("step=fetch"); pressed++)
      await page.keyboard.press("ArrowDown");
    await page.waitForSelector(".lens");
    await expect.poll(() => page.textContent(".lens")).toContain("No route took it");
    await seen(page, "it is not there");
    writeFileSync(join(served.root, "ok"), "");
    await page.keyboard.press("r");
    await page.locator("[role=dialog] .scenes", { hasText: "fetch" }).waitFor();
    await expect.poll(() => page.textContent("[role=dialog]")).toContain("If you resume now");
    await expect.poll(() => page.textContent("[role=dialog]")).toContain("Reused: ask");
    expect(await eventsOf(run, "run_resumed")).toHaveLength(1);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".banner.is-completed");
    expect(await eventsOf(run, "gate_resolved")).toMatchObject([{ data: { answered_by: personHere() } }]);
    expect((await eventsOf(run, "run_resumed")).at(-1)).toMatchObject({ data: { by: personHere() } });
    quiet(here);
  });
});

describe.skipIf(isWithoutBrowser)("with a click", () => {
  it("a run is cancelled, and resumed", async () => {
    const { body } = await served.post("/api/runs", { file: "slow.yaml", inputs: {} });
    const { page } = await visit(served, `/runs/${body.run_id}`);
    await page.waitForSelector('[data-node="wait"].is-running');
    await page.click(".banner .danger");
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.waitForSelector(".banner.is-cancelled");
    expect(await eventsOf(body.run_id, "run_cancelled")).toMatchObject([{ data: { by: personHere() } }]);
    writeFileSync(join(served.root, "quick"), "");
    await page.click(".banner .main");
    await page.locator("[role=dialog] .scenes", { hasText: "wait" }).waitFor();
    expect(await eventsOf(body.run_id, "run_resumed")).toEqual([]);
    await page.locator("[role=dialog]").getByRole("button", { name: "Resume" }).click();
    await page.waitForSelector(".banner.is-completed");
    expect(await eventsOf(body.run_id, "run_resumed")).toMatchObject([{ data: { by: personHere() } }]);
  });

  it("a run that waits for an answer is cancelled", async () => {
    const run = await served.run("whole.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector(".banner.is-waiting");
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.waitForSelector(".banner.is-cancelled");
    expect(await eventsOf(run, "run_cancelled")).toMatchObject([{ data: { by: personHere() } }]);
  });

  it("a drive that began while the question stood there is not cancelled", async () => {
    rmSync(join(served.root, "quick"), { force: true });
    const { run_id: run, seq } = (await served.post("/api/runs", { file: "slow.yaml", inputs: {} })).body;
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector('[data-node="wait"].is-running');
    await page.click(".banner .danger");
    const cancelled = (await served.post(`/api/runs/${run}/cancel`, { seq })).body;
    await page.waitForSelector(".banner.is-cancelled");
    await served.post(`/api/runs/${run}/resume`, { seq: cancelled.seq });
    await page.waitForSelector(".banner.is-running");
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await seen(page, `${personHere()} resumed it first`);
    expect(await eventsOf(run, "run_cancelled")).toHaveLength(1);
    const { body: now } = await served.get(`/api/runs/${run}`);
    expect(now.status).toBe("running");
    await served.post(`/api/runs/${run}/cancel`, { seq: now.seq });
  });

  it("the items that a run lost are run again, alone", async () => {
    const run = await served.run("loses.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector(".banner.is-recovered");
    await expect.poll(() => page.getAttribute('[data-node="all"]', "class")).toContain("is-recovered");
    expect(await page.textContent(".banner")).not.toContain("Nothing needs to be done");
    await page.goto(`${served.url}/runs/${run}?step=one&item=1`);
    await page.waitForSelector(".lens");
    await expect.poll(() => page.textContent(".step-body pre.code")).toContain("if (2 === 2");
    await expect.poll(() => page.textContent(".verdict")).toContain("No route took it");
    writeFileSync(join(served.root, "found"), "");
    await page.waitForSelector(".banner.is-recovered");
    await page.keyboard.press("r");
    const dialog = page.locator("[role=dialog]");
    await dialog.locator(".scenes").waitFor();
    await expect.poll(() => dialog.textContent()).toMatch(/If you run them nowIt runsall 1 member/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Run the lost items again" }).click();
    await dialog.locator(".scenes", { hasText: "all" }).waitFor();
    await page.getByRole("button", { name: "Run them" }).click();
    await page.waitForSelector(".banner.is-completed");
    const begun = await eventsOf(run, "agent_started");
    expect(begun.filter(({ data }) => "item_key" in data && data.item_key === "1")).toHaveLength(2);
    expect(begun.filter(({ data }) => "item_key" in data && data.item_key === "0")).toHaveLength(1);
  });

  it("a run that came to max_iterations says so before it is resumed, and is allowed more there", async () => {
    const run = await served.run("counts.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector(".banner.is-failed");
    await page.keyboard.press("r");
    const dialog = page.locator("[role=dialog]");
    await dialog.getByText(/it would stop at its limit again: by then, max_iterations \(2\) is used up/).waitFor();
    const field = dialog.getByLabel(/Step executions to allow/);
    await expect.poll(() => field.inputValue()).toBe("20");
    const send = dialog.getByRole("button", { name: "Resume" });
    await field.fill("2");
    await expect.poll(() => send.getAttribute("aria-disabled")).toBe("true");
    await field.fill("9");
    await send.click();
    await page.waitForSelector(".banner.is-completed");
    expect(await eventsOf(run, "run_resumed")).toMatchObject([{ data: { max_iterations: 9 } }]);
  });

  it("a breaker is reset and a letter retried", async () => {
    const api = await startApi({ isUp: false });
    writeFileSync(join(served.root, "calls.yaml"), calls(api.url));
    const run = await served.run("calls.yaml");
    const { page } = await visit(served, "/breakers");
    await page.getByRole("button", { name: "Reset" }).click();
    await seen(page, `reset by ${personHere()}`);
    const { breakers } = await listBreakers(served.session);
    expect(breakers).toMatchObject([{ status: "closed", reset: { by: personHere() } }]);
    const name = breakers[0]?.name ?? "";
    const late = await served.post(`/api/breakers/${encodeURIComponent(name)}/reset`, {
      opened_at: new Date().toISOString(),
    });
    expect(late).toMatchObject({ status: 409, body: { first: { what: "reset", ...breakers[0]?.reset } } });
    api.isUp = true;
    await page.goto(`${served.url}/letters`);
    await page.click(".l-what a");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.locator("[role=dialog] .scenes", { hasText: "call" }).waitFor();
    await page.locator("[role=dialog]").getByRole("button", { name: "Retry" }).click();
    await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).toBe("completed");
    expect((await eventsOf(run, "run_resumed")).at(-1)).toMatchObject({ data: { by: personHere() } });
  });
});
