// At the width of a phone: all of a table is there, and can be reached.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, go, isWithoutBrowser, type Opened, quiet, Served, seen, stay } from "./browser.ts";

const calls = (url: string): string => `
workflow: { name: inventory-of-all-the-warehouses, entry_point: call, resilience: { dead_letter: true, circuit_breaker: { failure_threshold: 1, recovery_timeout: 10m } } }
agents:
  - { name: call, type: http, url: "${url}/a-warehouse-with-a-rather-long-name", timeout: 60 }
`;

let served: Served;
const down = createServer((_, response) => response.writeHead(503).end());
beforeAll(async () => {
  await once(down.listen(0, "127.0.0.1"), "listening");
  served = await Served.start({
    "calls.yaml": calls(`http://127.0.0.1:${(down.address() as AddressInfo).port}`),
    "fine.yaml": "workflow: { name: fine, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n",
  });
  await served.run("calls.yaml");
  await served.run("fine.yaml");
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
  down.close();
});

/** What reaches over the right edge, and is in nothing that can be scrolled sideways. */
const cutOff = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("main *")]
    .filter((one) => one.closest("svg, pre, .yaml, .filters, .run-tabs") === null)
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 80))`);

describe.skipIf(isWithoutBrowser)("on a phone", () => {
  let here: Opened;
  beforeAll(async () => {
    here = await stay(served, "/triggers", { width: 390 });
  });

  it.each([
    ["/breakers", ".cards td"],
    ["/workflows", ".cards td"],
    ["/workflows/calls.yaml", ".cards td"],
    ["/errors", ".error-group"],
    ["/letters", ".l-what"],
    ["/", ".run-row:not(.head)"],
  ])("no row of %s is cut off", async (path, row) => {
    await go(here, path);
    await here.page.waitForSelector(row);
    await expect.poll(() => cutOff(here.page)).toEqual([]);
    quiet(here);
  });

  it("a run says when it began, and all of them say how long they took at the same place", async () => {
    const { page } = here;
    await go(here, "/");
    await page.waitForSelector(".run-row:not(.head)");
    const rows = page.locator(".run-row:not(.head)");
    await expect.poll(() => rows.count()).toBe(2);
    // One of them can be resumed, the other cannot: they have not the same buttons.
    await expect.poll(() => rows.locator("[aria-label^=Resume]").count()).toBe(1);
    const edges = (cell: string): Promise<number[]> =>
      page.evaluate(
        `[...document.querySelectorAll(".run-row:not(.head) ${cell}")].map((one) => Math.round(one.getBoundingClientRect().right))`,
      );
    expect(new Set(await edges(".c-took")).size).toBe(1);
    await expect.poll(() => page.locator(".c-started").nth(1).isVisible()).toBe(true);
    expect(new Set(await edges(".c-started"))).toEqual(new Set(await edges(".c-took")));
  });

  it("a run says all of the step that failed, and of its kind", async () => {
    const { page } = here;
    await go(here, "/");
    const words = page.locator(".c-error .cut");
    await expect.poll(() => words.count()).toBe(2);
    const cut = `[...document.querySelectorAll(".c-error .cut")].filter((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate(`${cut}.map((one) => one.textContent)`)).toEqual([]);
  });

  it("an open breaker says what its figures are, and is reset", async () => {
    const { page } = here;
    await go(here, "/breakers");
    const reset = page.getByRole("button", { name: "Reset" });
    await reset.waitFor();
    const box = await reset.boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    const label = `getComputedStyle(document.querySelector(".cards td.fact"), "::before").content`;
    expect(await page.evaluate(label)).toContain("Failures");
    await reset.click();
    await seen(page, /is closed\./);
  });
});
