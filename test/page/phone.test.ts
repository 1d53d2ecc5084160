// At the width of a phone: all of a table is there, and can be reached.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const calls = (url: string): string => `
workflow: { name: inventory-of-all-the-warehouses, entry_point: call, resilience: { dead_letter: true, circuit_breaker: { failure_threshold: 1, recovery_timeout: 10m } } }
agents:
  - { name: call, type: http, url: "${url}/a-warehouse-with-a-rather-long-name", timeout: 5 }
`;

let served: Served;
const down = createServer((_, response) => response.writeHead(503).end());
beforeAll(async () => {
  await once(down.listen(0, "127.0.0.1"), "listening");
  served = await Served.start({ "calls.yaml": calls(`http://127.0.0.1:${(down.address() as AddressInfo).port}`) });
  await served.run("calls.yaml");
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
  it.each([
    ["/breakers", ".cards td"],
    ["/workflows", ".cards td"],
    ["/workflows/calls.yaml", ".cards td"],
    ["/errors", ".error-group"],
    ["/letters", ".l-what"],
    ["/", ".run-row:not(.head)"],
  ])("no row of %s is cut off", async (path, row) => {
    const here = await visit(served, path, { width: 390 });
    await here.page.waitForSelector(row);
    await expect.poll(() => cutOff(here.page)).toEqual([]);
    quiet(here);
    await here.context.close();
  });

  it("an open breaker says what its figures are, and is reset", async () => {
    const { page, context } = await visit(served, "/breakers", { width: 390 });
    const reset = page.getByRole("button", { name: "Reset" });
    await reset.waitFor();
    const box = await reset.boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    const label = `getComputedStyle(document.querySelector(".cards td.fact"), "::before").content`;
    expect(await page.evaluate(label)).toContain("Failures");
    await reset.click();
    await seen(page, /is closed\./);
    await context.close();
  });
});
