// A run that goes on: what it is at comes into sight where somebody wants to follow it, and the banner says what it has met.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { personHere } from "../../../services/session/people.ts";
import { atRest, closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";
import { untilThere } from "./until-there.ts";

const failsUntil = (mark: string, kind: string): string =>
  `["-e", "const fs = require('node:fs'); if (!fs.existsSync('${mark}')) { fs.writeFileSync(process.env.CONDUCTOR_ERROR_OUT, JSON.stringify({ kind: '${kind}', message: 'not yet' })); process.exit(3) }"]`;
const failsOnce = (mark: string, kind: string): string =>
  `["-e", "const fs = require('node:fs'); if (!fs.existsSync('${mark}')) { fs.writeFileSync('${mark}', ''); fs.writeFileSync(process.env.CONDUCTOR_ERROR_OUT, JSON.stringify({ kind: '${kind}', message: 'not yet' })); process.exit(3) }"]`;
/** Sets, one below the other, more than a window shows. */
const chain = (name: string, to: string): string =>
  Array.from(
    { length: 14 },
    (_, at) =>
      `  - { name: ${name}${at}, type: set, value: 1, routes: [{ to: ${at < 13 ? `${name}${at + 1}` : to} }] }`,
  ).join("\n");
/** Waits, goes far down, is tried again, is mended by another step, and waits once more. */
const meets = (id: string): string => `
workflow: { name: meets, entry_point: hold, limits: { max_iterations: 200 } }
agents:
  - { name: hold, type: script, command: node, args: ${untilThere(`begin-${id}`)}, routes: [{ to: a0 }] }
${chain("a", "upload")}
  - { name: upload, type: script, command: node, args: ${failsUntil(`up-${id}`, "registry.busy")}, raises: [registry.busy], routes: [{ to: tag }, { on_error: registry.busy, retry: { max: 100, initial_seconds: 3, max_seconds: 3 } }] }
  - { name: tag, type: script, command: node, args: ${failsOnce(`tag-${id}`, "vcs.drift")}, raises: [vcs.drift], routes: [{ to: last }, { on_error: vcs.drift, to: rebase }] }
  - { name: rebase, type: set, value: 1, routes: [{ to: tag }] }
  - { name: last, type: script, command: node, args: ${untilThere(`end-${id}`)} }
`;
/** Asks a person far below what it begins with. */
const ASKS = `
workflow: { name: asks, entry_point: hold, limits: { max_iterations: 200 } }
agents:
  - { name: hold, type: script, command: node, args: ${untilThere("begin-asks")}, routes: [{ to: a0 }] }
${chain("a", "ask")}
  - { name: ask, type: human_gate, prompt: Go on?, approvers: [kim@elsewhere], options: [{ label: Yes, value: "yes", route: $end }] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "one.yaml": meets("one"), "two.yaml": meets("two"), "asks.yaml": ASKS });
});
afterAll(async () => {
  writeFileSync(join(served.root, "begin-asks"), "");
  for (const name of ["begin", "up", "end"].flatMap((what) => [`${what}-one`, `${what}-two`]))
    writeFileSync(join(served.root, name), "");
  await closeBrowser();
  await served.close();
});

const letOn = (name: string): void => writeFileSync(join(served.root, name), "");
const isInSight = (page: Page, node: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const [one, room] = ['[data-node="${node}"] .body', ".graph"].map((found) => document.querySelector(found)?.getBoundingClientRect());
    return one !== undefined && room !== undefined && one.top >= room.top && one.bottom <= room.bottom;
  })()`);
const placeOf = (page: Page): Promise<string | null> => page.getAttribute(".graph svg[role=img] > g", "transform");

describe.skipIf(isWithoutBrowser)("a run that goes on", () => {
  it("is kept in sight where it is followed, and the banner says what it met, with a link", async () => {
    const { body } = await served.post("/api/runs", { file: "one.yaml", inputs: {} });
    const here = await visit(served, `/runs/${body.run_id}`);
    const { page } = here;
    await page.waitForSelector('[data-node="hold"].is-running');
    expect(await isInSight(page, "upload")).toBe(false);
    await page.getByRole("button", { name: "Follow the run" }).click();
    letOn("begin-one");
    await page.waitForSelector('[data-node="upload"].is-retrying');
    await page.getByText(/^upload is tried again (in \d|now).*after registry\.busy$/).waitFor();
    await expect.poll(() => isInSight(page, "upload")).toBe(true);
    letOn("up-one");
    await page.waitForSelector('[data-node="last"].is-running');
    await page.getByText("tag recovered from vcs.drift by rebase").waitFor();
    await expect.poll(() => isInSight(page, "last")).toBe(true);
    letOn("end-one");
    await page.waitForSelector(".banner.is-completed");
    await page.locator(".banner-met .link").click();
    await page.waitForURL(/step=tag/);
    quiet(here);
  });

  it("is left where it stands until somebody follows it", async () => {
    const { body } = await served.post("/api/runs", { file: "two.yaml", inputs: {} });
    const { page } = await visit(served, `/runs/${body.run_id}`);
    await page.waitForSelector('[data-node="hold"].is-running');
    const own = await atRest(() => placeOf(page));
    letOn("begin-two");
    await page.waitForSelector('[data-node="upload"].is-retrying');
    letOn("up-two");
    await page.waitForSelector('[data-node="last"].is-running');
    expect(await placeOf(page)).toBe(own);
    expect(await isInSight(page, "last")).toBe(false);
    await page.getByRole("button", { name: "Follow the run" }).click();
    await expect.poll(() => isInSight(page, "last")).toBe(true);
    const button = page.getByRole("button", { name: "Follow the run" });
    await expect.poll(() => button.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "Further" }).click();
    await expect.poll(() => button.getAttribute("aria-pressed")).toBe("false");
    await button.click();
    await expect.poll(() => button.getAttribute("aria-pressed")).toBe("true");
    letOn("end-two");
    await page.waitForSelector(".banner.is-completed");
    await page.reload();
    await page.waitForSelector('[data-node="hold"].is-completed');
    // It has ended well: what it recovered from is what matters.
    await expect.poll(() => isInSight(page, "tag")).toBe(true);
  });

  it("comes into sight by itself where it asks a person, who reads that they may not answer, and who may", async () => {
    const { body } = await served.post("/api/runs", { file: "asks.yaml", inputs: {} });
    const here = await visit(served, `/runs/${body.run_id}`);
    const { page } = here;
    await page.waitForSelector('[data-node="hold"].is-running');
    expect(await isInSight(page, "ask")).toBe(false);
    letOn("begin-asks");
    await page.waitForSelector('[data-node="ask"].is-waiting');
    await expect.poll(() => isInSight(page, "ask")).toBe(true);
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    const question = page.locator(".step .gate");
    await expect
      .poll(() => question.textContent())
      .toContain(
        `You are signed in as ${personHere()} and may not answer: ${personHere()} is not one of the approvers: kim@elsewhere.`,
      );
    expect(await question.getByRole("radio").isDisabled()).toBe(true);
    expect(await question.getByRole("button", { name: "Send" }).count()).toBe(0);
    await expect.poll(() => page.locator(".signed-in").textContent()).toContain(personHere());
    quiet(here);
  });
});
