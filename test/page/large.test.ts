// Much at once: a run of 100 000 events, 50 MB of output, thousands of events a second.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";
import { LARGE, recordedRun, streamedRun } from "./long-runs.ts";

const MB = 1024 * 1024;
const PRINTS = `
workflow: { name: prints, entry_point: print }
agents:
  - { name: print, type: script, command: node, args: ["print.mjs"] }
`;
/** About 50 MB in lines of 100 characters; one of them can be found. */
const PRINT = `
const line = (n) => (n === 271828 ? "the needle " : "some output ") + String(n).padStart(88, ".") + "\\n";
for (let n = 0; n < 520_000; n += 2000) {
  const text = Array.from({ length: 2000 }, (_, index) => line(n + index)).join("");
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "large.yaml": LARGE,
    "prints.yaml": PRINTS,
  });
  writeFileSync(join(served.root, "print.mjs"), PRINT);
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const heap = "performance.memory.usedJSHeapSize";

describe.skipIf(isWithoutBrowser)("much at once", () => {
  it("100 000 events are a picture, a small answer, and a log to scroll", { timeout: 180_000 }, async () => {
    const run = await recordedRun(served, 100_000);
    const here = await visit(served, "/errors");
    const { page, context } = here;
    const foreign: string[] = [];
    let bytes = 0;
    page.on("request", (request) => {
      if (!request.url().startsWith(served.url)) foreign.push(request.url());
    });
    page.on("response", async (response) => {
      if (response.url().endsWith(`/api/runs/${run}`)) bytes = (await response.body()).length;
    });
    await page.goto(`${served.url}/runs/${run}`);
    await page.waitForSelector('[data-node="begin"].is-completed', { timeout: 120_000 });
    await expect.poll(() => bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(200 * 1024);
    expect(foreign).toEqual([]);
    await page.keyboard.press("3");
    await page.waitForSelector(".log-line");
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(3000);
    quiet(here);
    await context.close();
  });

  it("2 000 events a second for a while leave the heap as it was", { timeout: 120_000 }, async () => {
    const stream = await streamedRun(served);
    const { page, context } = await visit(served, `/runs/${stream.run}`);
    await page.waitForSelector('[data-node="begin"].is-running');
    const debug = await context.newCDPSession(page);
    const used = async (): Promise<number> => {
      await debug.send("HeapProfiler.collectGarbage");
      return (await page.evaluate(heap)) as number;
    };
    await stream.send(2000, 2);
    const before = await used();
    await stream.send(2000, 10);
    await stream.end();
    await page.waitForSelector(".banner.is-completed", { timeout: 60_000 });
    expect((await used()) - before).toBeLessThan(50 * MB);
    await context.close();
  });

  it("50 MB of output are read, scrolled and searched", { timeout: 240_000 }, async () => {
    const run = await served.run("prints.yaml");
    const { page, context } = await visit(served, `/runs/${run}?step=print`);
    await page.waitForSelector(".printed-line");
    await page.getByRole("button", { name: "Load all" }).click();
    await page
      .getByText(/520\D000 lines/)
      .first()
      .waitFor({ timeout: 180_000 });
    await page.fill('input[aria-label="Search stdout"]', "the needle");
    await seen(page, "1 of 1");
    await page.waitForSelector(".printed-line.found");
    expect(await page.textContent(".printed-line.found")).toContain("271828");
    expect(await page.evaluate("document.querySelectorAll('.printed-line').length")).toBeLessThan(200);
    await context.close();
  });
});
