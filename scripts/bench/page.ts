// The rows of the page: a real browser before a real server, timed in the page, as a person waits for them.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import {
  LARGE,
  NODES,
  recordedRun,
  type StreamedRun,
  streamedRun,
  WIDE,
} from "../../src/frontends/page/test/long-runs.ts";
import { listen } from "../../src/frontends/server/listen.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";

const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));
const EACH = `
workflow: { name: each, entry_point: all, input: { items: { type: array } } }
for_each: [{ name: all, type: for_each, source: workflow.input.items, as: item, max_concurrent: 20, agent: { name: one, type: set, value: "{{ item }}" } }]
`;

interface Shop {
  readonly root: string;
  readonly session: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly home: string };
  /** Opens an address in a new page. */
  visit(path: string): Promise<Page>;
}

/** Notes in the page when something is first to be seen: what the debugger takes to ask is nobody's wait. */
const noteWhen = (condition: string): string => `globalThis.seenAt = null; {
  const look = () => {
    if (globalThis.seenAt !== null || !(${condition})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (globalThis.seenAt = performance.now())));
    globalThis.seenAt = undefined;
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
}`;
/** Asked by the debugger: the page's policy lets nothing be evaluated inside it. */
async function until(page: Page, condition: string): Promise<void> {
  while (!(await page.evaluate(condition))) await pause(20);
}
const seenAt = async (page: Page): Promise<number> => {
  await until(page, "typeof globalThis.seenAt === 'number'");
  return (await page.evaluate("globalThis.seenAt")) as number;
};
const COUNT_FRAMES = `globalThis.longest = 0; {
  let last = performance.now();
  const frame = (now) => { globalThis.longest = Math.max(globalThis.longest, now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}`;
/** A page that stands still is quick and small: what was sent has to be seen in it, or nothing was measured. */
const SHOWN_WITHIN_MS = 10_000;
async function showLastVisit(page: Page, stream: StreamedRun): Promise<void> {
  await stream.last();
  await page.waitForSelector('[data-node="each"].is-running', { timeout: SHOWN_WITHIN_MS }).catch(() => {
    throw new Error(`the page did not show the last visit within ${SHOWN_WITHIN_MS / 1000} s: nothing was measured`);
  });
}
const longestFrame = async (page: Page): Promise<number> => (await page.evaluate("globalThis.longest")) as number;
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const MB = 1024 * 1024;

/** What the rows measure: milliseconds, and one of them megabytes. */
const MEASURES = {
  "first picture": async (shop: Shop) => {
    const run = await recordedRun(shop, 100_000);
    const page = await shop.visit("/errors");
    await page.addInitScript(noteWhen(`document.querySelector('[data-node="begin"].is-completed')`));
    await page.goto(`${new URL(page.url()).origin}/runs/${run}`);
    return seenAt(page);
  },
  "longest frame": async (shop: Shop) => {
    const stream = await streamedRun(shop);
    const page = await shop.visit(`/runs/${stream.run}`);
    await page.waitForSelector('[data-node="begin"].is-running');
    await stream.send(2000, 3);
    await page.evaluate(COUNT_FRAMES);
    await stream.send(2000, 60);
    await showLastVisit(page, stream);
    const longest = await longestFrame(page);
    await stream.end();
    return longest;
  },
  "heap growth": async (shop: Shop) => {
    const stream = await streamedRun(shop);
    const page = await shop.visit(`/runs/${stream.run}`);
    await page.waitForSelector('[data-node="begin"].is-running');
    const debug = await page.context().newCDPSession(page);
    const used = async (): Promise<number> => {
      await debug.send("HeapProfiler.collectGarbage");
      return (await debug.send("Runtime.getHeapUsage")).usedSize / MB;
    };
    await stream.send(2000, 3);
    const before = await used();
    await stream.send(2000, 60);
    await showLastVisit(page, stream);
    const grown = (await used()) - before;
    await stream.end();
    return grown;
  },
  "panning 300 nodes": async (shop: Shop) => {
    writeFileSync(join(shop.root, "wide.yaml"), WIDE);
    const { run_id } = await runWorkflow(shop.session, { file: "wide.yaml", inputs: {} });
    const page = await shop.visit(`/runs/${run_id}`);
    await until(page, `document.querySelectorAll("[data-node]").length >= ${NODES}`);
    await page.keyboard.press("f");
    await page.mouse.move(640, 500);
    await page.mouse.down();
    await page.evaluate(COUNT_FRAMES);
    for (let moved = 0; moved < 240; moved++) await page.mouse.move(640 + (moved % 60) * 6, 500 - (moved % 40) * 5);
    await page.mouse.up();
    return longestFrame(page);
  },
  "an item opens": async (shop: Shop) => {
    writeFileSync(join(shop.root, "each.yaml"), EACH);
    const items = Array.from({ length: 1000 }, (_, index) => index);
    const { run_id } = await runWorkflow(shop.session, { file: "each.yaml", inputs: { items: { value: items } } });
    const page = await shop.visit(`/runs/${run_id}?step=one&item=2`);
    await page.waitForSelector(".step-head .pill");
    await page.evaluate("addEventListener('pointerup', () => (globalThis.clickedAt = performance.now()), true)");
    const taken: number[] = [];
    const chosen = `document.querySelector(".step-head code")?.textContent`;
    for (const cell of [7, 3, 9, 4, 8, 5, 6]) {
      // A cell of a long strip stands for several items: which one opens is the strip's to say.
      const before = JSON.stringify(await page.evaluate(chosen));
      await page.evaluate(noteWhen(`![undefined, ${before}].includes(${chosen})`));
      const box = await page.locator(`[data-node="all"] .cell >> nth=${cell}`).boundingBox();
      await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
      const seen = await seenAt(page);
      taken.push(seen - ((await page.evaluate("globalThis.clickedAt")) as number));
    }
    return median(taken);
  },
  "a moment of a replay": async (shop: Shop) => {
    const run = await recordedRun(shop, 100_000);
    const page = await shop.visit(`/runs/${run}?at=100`);
    await page.waitForSelector('.replay[data-shown="100"]', { timeout: 120_000 });
    const taken: number[] = [];
    for (const at of [90_000, 40_000, 70_000, 20_000, 55_000, 10_000, 99_000]) {
      await page.evaluate(noteWhen(`document.querySelector(".replay")?.dataset.shown === "${at}"`));
      const began = (await page.evaluate(
        `{ const slider = document.querySelector(".replay input"); slider.value = "${at}";
           const began = performance.now(); slider.dispatchEvent(new Event("input", { bubbles: true })); began; }`,
      )) as number;
      taken.push((await seenAt(page)) - began);
    }
    return median(taken);
  },
} as const;

/** One of the measures as a row; without a browser there is nothing to measure. */
export async function pageRow(folder: string, name: keyof typeof MEASURES, target: number, unit = "ms") {
  const about = { direction: "at most", target, floor: "–" } as const;
  if (!CHROMIUM) return { ...about, ratio: null, subject: "not measured: there is no browser" };
  const measured = await inShop(folder, MEASURES[name]);
  return { ...about, ratio: measured, subject: `${measured.toFixed(0)} ${unit}` };
}

async function inShop(folder: string, measure: (shop: Shop) => Promise<number>): Promise<number> {
  const [root, home] = [join(folder, "shop"), join(folder, `page-home-${process.pid}`)];
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "large.yaml"), LARGE);
  const session = { cwd: root, env: { ...process.env, SEGNO_HOME: home }, home };
  const pageFolder = join(process.cwd(), "dist", "page");
  const listening = await listen({ session, root, port: 0, host: "127.0.0.1", readOnly: false, pageFolder });
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [base = "", token = ""] = listening.url.split("/#token=");
    return await measure({
      root,
      session,
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
