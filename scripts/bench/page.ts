// The rows of the page: a real browser before a real server. Milliseconds, as a person waits for them.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { listen } from "../../src/server/listen.ts";
import { runWorkflow } from "../../src/services/run.ts";
import { LARGE, recordedRun, streamedRun } from "../../test/page/long-runs.ts";

const CHROMIUM = "/usr/bin/chromium";
const EACH = `
workflow: { name: each, entry_point: all, input: { items: { type: array } } }
for_each: [{ name: all, type: for_each, source: workflow.input.items, as: item, max_concurrent: 20, agent: { name: one, type: set, value: "{{ item }}" } }]
`;

interface Shop {
  readonly root: string;
  readonly surroundings: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly home: string };
  /** Opens an address in a new page. */
  visit(path: string): Promise<Page>;
}

/** What the rows measure, in milliseconds. */
const MEASURES = {
  "first picture": async (shop: Shop) => {
    const run = await recordedRun(shop, 100_000);
    const page = await shop.visit("/errors");
    const began = Date.now();
    await page.evaluate(`location.href = ${JSON.stringify(`/runs/${run}`)}`);
    await page.waitForSelector('[data-node="begin"].is-completed', { timeout: 120_000 });
    return Date.now() - began;
  },
  "longest frame": async (shop: Shop) => {
    const stream = await streamedRun(shop);
    const page = await shop.visit(`/runs/${stream.run}`);
    await page.waitForSelector('[data-node="begin"].is-running');
    await stream.send(2000, 3);
    await page.evaluate(
      `globalThis.longest = 0; { let last = performance.now(); const frame = (now) => { globalThis.longest = Math.max(globalThis.longest, now - last); last = now; requestAnimationFrame(frame); }; requestAnimationFrame(frame); }`,
    );
    await stream.send(2000, 20);
    const longest = (await page.evaluate("globalThis.longest")) as number;
    await stream.end();
    return longest;
  },
  "an item opens": async (shop: Shop) => {
    writeFileSync(join(shop.root, "each.yaml"), EACH);
    const items = Array.from({ length: 1000 }, (_, index) => index);
    const { run_id } = await runWorkflow({
      ...shop.surroundings,
      file: "each.yaml",
      inputs: { items: { value: items } },
    });
    const page = await shop.visit(`/runs/${run_id}?step=one&item=2`);
    await page.waitForSelector(".step-head .pill");
    const cell = await page.waitForSelector('[data-node="all"] .cell:nth-of-type(9)');
    const began = Date.now();
    await cell.click();
    await page.waitForFunction("document.querySelector('.step-head')?.parentElement?.textContent.includes('item 7')");
    return Date.now() - began;
  },
  "a moment of a replay": async (shop: Shop) => {
    const run = await recordedRun(shop, 100_000);
    const page = await shop.visit(`/runs/${run}?at=100`);
    await page.waitForSelector(".replay", { timeout: 120_000 });
    const moments: number[] = [];
    for (const at of [90_000, 40_000, 70_000, 20_000]) {
      const began = Date.now();
      await page.locator(".replay input").fill(String(at));
      await page.waitForFunction(`document.querySelector(".replay .number")?.textContent.startsWith("${at} /")`);
      moments.push(Date.now() - began);
    }
    return moments.sort((a, b) => a - b)[2] ?? 0;
  },
} as const;

/** One of the measures as a row; without a browser there is nothing to measure. */
export async function pageRow(folder: string, name: keyof typeof MEASURES, target: number) {
  const about = { direction: "at most", target, floor: "–" } as const;
  if (!existsSync(CHROMIUM)) return { ...about, ratio: 0, subject: "no browser here" };
  const ms = await inShop(folder, MEASURES[name]);
  return { ...about, ratio: ms, subject: `${ms.toFixed(0)} ms` };
}

async function inShop(folder: string, measure: (shop: Shop) => Promise<number>): Promise<number> {
  const [root, home] = [join(folder, "shop"), join(folder, `page-home-${process.pid}`)];
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "large.yaml"), LARGE);
  const surroundings = { cwd: root, env: { ...process.env, SEGNO_HOME: home }, home };
  const pageFolder = join(process.cwd(), "dist", "page");
  const listening = await listen({ surroundings, root, port: 0, host: "127.0.0.1", readOnly: false, pageFolder });
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [base = "", token = ""] = listening.url.split("/#token=");
    return await measure({
      root,
      surroundings,
      async visit(path) {
        const page = await context.newPage();
        await page.goto(`${base}${path}#token=${token}`);
        await page.waitForSelector("main");
        return page;
      },
    });
  } finally {
    await browser?.close();
    await listening.close();
  }
}
