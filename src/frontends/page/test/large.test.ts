// Much at once: a run of tens of thousands of events, thousands of events a second.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";
import { LARGE, NODES, recordedRun, streamedRun, WIDE } from "./long-runs.ts";

const MB = 1024 * 1024;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "large.yaml": LARGE });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const heap = "performance.memory.usedJSHeapSize";

/** What changes in the page from now on: the element and what of it, each once. */
const CHANGES = `globalThis.changes = new Set();
  new MutationObserver((records) => {
    for (const { target, type, attributeName } of records)
      changes.add(target.nodeName + "." + (target.getAttribute?.("class") ?? "") + " " + (attributeName ?? type));
  }).observe(document, { subtree: true, attributes: true, childList: true, characterData: true });`;

describe.skipIf(isWithoutBrowser)("much at once", () => {
  it("300 nodes are moved as one: nothing is drawn again while panning", async () => {
    writeFileSync(join(served.root, "wide.yaml"), WIDE);
    const run = await served.run("wide.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await expect.poll(() => page.locator("[data-node]").count()).toBeGreaterThanOrEqual(NODES);
    const box = await page.locator(".graph > svg").boundingBox();
    const [x, y] = [(box?.x ?? 0) + 30, (box?.y ?? 0) + 200];
    const shift = (): Promise<string | null> => page.getAttribute(".graph > svg > g", "transform");
    const before = await shift();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.evaluate(CHANGES);
    for (let moved = 1; moved <= 40; moved++) await page.mouse.move(x + moved * 8, y - moved * 6);
    await page.mouse.up();
    await expect.poll(shift).not.toBe(before);
    const changed = (await page.evaluate("[...changes]")) as readonly string[];
    // The layer's shift; that it is dragged, and how much of it can be read, is said of the whole.
    expect(changed.filter((one) => !/^(g\. transform|svg\.\w* (class|data-detail))$/.test(one))).toEqual([]);
    expect(changed).toContain("g. transform");
  });

  it("30 000 events are a picture, a small answer, and a log to scroll", async () => {
    const run = await recordedRun(served, 30_000);
    const here = await visit(served, "/errors");
    const { page } = here;
    const foreign: string[] = [];
    let bytes = 0;
    page.on("request", (request) => {
      if (!request.url().startsWith(served.url)) foreign.push(request.url());
    });
    page.on("response", async (response) => {
      if (response.url().endsWith(`/api/runs/${run}`)) bytes = (await response.body()).length;
    });
    await page.goto(`${served.url}/runs/${run}`);
    await page.waitForSelector('[data-node="begin"].is-completed');
    await expect.poll(() => bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(200 * 1024);
    expect(foreign).toEqual([]);
    await page.keyboard.press("3");
    await page.waitForSelector(".log-line");
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(3000);
    quiet(here);
  });

  it("2 000 events a second for a while leave the heap as it was", async () => {
    const stream = await streamedRun(served);
    const { page, context } = await visit(served, `/runs/${stream.run}`, { isAlone: true });
    await page.waitForSelector('[data-node="begin"].is-running');
    const debug = await context.newCDPSession(page);
    const used = async (): Promise<number> => {
      await debug.send("HeapProfiler.collectGarbage");
      return (await page.evaluate(heap)) as number;
    };
    await stream.send(2000, 1);
    const before = await used();
    await stream.send(2000, 4);
    await stream.end();
    await page.waitForSelector(".banner.is-completed");
    expect((await used()) - before).toBeLessThan(20 * MB);
  });
});
