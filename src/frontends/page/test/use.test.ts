// What a newcomer stumbled over: each point as somebody would notice it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApi } from "../../../../test/resilience/api.ts";
import {
  atRest,
  closeBrowser,
  go,
  isWithoutBrowser,
  type Opened,
  quiet,
  Served,
  seen,
  stay,
  visit,
} from "./browser.ts";

const ASKS = `
workflow: { name: ask, entry_point: gate, input: { version: { type: string, default: "1.0" }, notes: { type: string, default: "" } } }
agents:
  - { name: gate, type: human_gate, prompt: "**200** files of {{ workflow.input.version }} would change", options: [{ label: Go on, value: "yes", route: after }, { label: Stop, value: "no", route: $end }] }
  - { name: after, type: human_gate, prompt: "Really?", options: [{ label: Yes, value: "yes", route: $end }] }
`;
const FAILS = `
workflow: { name: fails, entry_point: fetch }
agents:
  - { name: fetch, type: script, command: node, args: ["-e", "console.log(process.env.TRY ?? 'tried'); process.exit(3)"], raises: [io.gone] }
`;
const EACH = `
workflow: { name: each, entry_point: all, input: { items: { type: array, default: [ams, fra, lon, nyc] } } }
for_each:
  - { name: all, type: for_each, source: workflow.input.items, as: item, failure_mode: continue_on_error, agent: { name: one, type: script, command: node, args: ["-e", "process.exit('{{ item }}' === 'lon' ? 3 : 0)"], raises: [io.gone] } }
agents: []
`;
/** `lon` fails and no route takes it; another step stands in for `nyc`. */
const SORTS = `
workflow: { name: sorts, entry_point: all, input: { items: { type: array, default: [ams, lon, nyc] } } }
agents:
  - { name: zero, type: set, value: "0" }
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    failure_mode: continue_on_error
    agent:
      name: one
      type: script
      command: sh
      args: ["-c", "test {{ item }} = ams || echo '{ \\"kind\\": \\"app.{{ item }}\\", \\"message\\": \\"no\\" }' > $CONDUCTOR_ERROR_OUT"]
      raises: [app.lon, app.nyc]
      routes: [{ on_error: app.nyc, to: zero }]
`;
const BROKEN = `workflow: { name: broken, entry_point: frist }
agents:
  - { name: first, type: set, value: "1" }
`;
const WARNS = `workflow: { name: warns, entry_point: first }
agents:
  - { name: first, type: set, value: "1" }
  - { name: lonely, type: set, value: "1" }
`;
const LONG_NAMES = `
workflow: { name: steps, entry_point: s0 }
agents:
${Array.from({ length: 4 }, (_, index) => `  - { name: s${index}, type: script, command: sleep, args: ["0.3"], routes: [{ to: ${index < 3 ? `s${index + 1}` : "last"} }] }`).join("\n")}
  - { name: last, type: script, command: node, args: ["-e", "process.exit(7)"], raises: [io.gone] }
`;
const calls = (url: string): string => `
workflow: { name: calls, entry_point: all, resilience: { dead_letter: true }, input: { pages: { type: array, default: [front, shop] } } }
for_each:
  - { name: all, type: for_each, source: workflow.input.pages, as: page, failure_mode: continue_on_error, agent: { name: call, type: http, url: "${url}/{{ page }}", timeout: 60 } }
agents: []
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "ask.yaml": ASKS,
    "fails.yaml": FAILS,
    "each.yaml": EACH,
    "sorts.yaml": SORTS,
    "broken.yaml": BROKEN,
    "warns.yaml": WARNS,
    "steps.yaml": LONG_NAMES,
  });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const overflow = (page: Page): Promise<unknown> => page.evaluate("document.documentElement.scrollWidth - innerWidth");

describe.skipIf(isWithoutBrowser)("a run that waits for a person", () => {
  it("offers to answer, in its own page, and says its question without the marks of Markdown", async () => {
    const run = await served.run("ask.yaml");
    const here = await visit(served, `/runs/${run}`);
    const { page } = here;
    await page.waitForSelector(".banner.is-waiting");
    await expect.poll(() => page.textContent(".banner-text")).toBe("200 files of 1.0 would change");
    await expect.poll(() => page.textContent(".banner-text strong")).toBe("200");
    const main = page.locator(".banner .main");
    expect((await main.textContent())?.trim()).toBe("Answer");
    await main.click();
    await page.waitForSelector(".split-side .gate");
    await page.waitForFunction("document.activeElement?.closest('.split-side .gate') !== null");
    await page.check('.split-side .gate input[value="no"]');
    await page.click(".split-side .gate footer .main");
    await page.waitForSelector(".banner.is-completed");
    quiet(here);
  });

  it("is told apart on the page of gates, and leads back after the answer, past the others that wait", async () => {
    const first = await served.run("ask.yaml", { version: "2.0-rc.1", notes: "x".repeat(500) });
    const second = await served.run("ask.yaml", { version: "3.0" });
    const here = await visit(served, `/gates?run=${first}`);
    const { page } = here;
    const card = page.locator(".gate").first();
    await card.waitFor();
    await expect.poll(() => card.locator(".gate-head").textContent()).toContain("2.0-rc.1");
    await expect.poll(() => card.locator(".gate-head a").getAttribute("title")).toBe(first);
    await expect.poll(() => card.locator(".gate-head").textContent()).toMatch(/asked (just now|\d+ (s|min) ago)/);
    await seen(page, "Other runs wait, too");
    await card.locator('input[value="yes"]').check();
    await card.locator("footer .main").click();
    await seen(page, "Answered “Go on”. The run goes on.");
    await page.locator(`.gate-head a[title="${second}"]`).waitFor();
    // What it asks next comes by itself.
    await seen(page, "Really?");
    await page.getByRole("link", { name: "Back to the run" }).click();
    await page.waitForURL(new RegExp(`/runs/${first}`));
    quiet(here);
  });
});

describe.skipIf(isWithoutBrowser)("a step that was tried in two drives", () => {
  it("shows which attempt was of which, and each can be looked at", async () => {
    const run = await served.run("fails.yaml");
    const { body } = await served.get(`/api/runs/${run}`);
    await served.post(`/api/runs/${run}/resume`, { seq: body.seq });
    await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.drives.length).toBe(2);
    const { page } = await visit(served, `/runs/${run}?step=fetch`);
    const tabs = page.locator(".attempts [role=tab]");
    await expect
      .poll(() => tabs.allTextContents())
      .toEqual([expect.stringContaining("drive 1, attempt 1"), expect.stringContaining("drive 2, attempt 1")]);
    await tabs.first().click();
    await expect.poll(() => tabs.first().getAttribute("aria-selected")).toBe("true");
    expect(page.url()).toContain("attempt=1.1");
  });
});

describe.skipIf(isWithoutBrowser)("a for_each", () => {
  it("shows its items in their order, and n goes to the failed one first", async () => {
    const run = await served.run("each.yaml");
    const { page } = await visit(served, `/runs/${run}?step=all`);
    const cells = page.locator('[data-node="all"] .cell');
    await expect
      .poll(() =>
        page.evaluate(
          "[...document.querySelectorAll('[data-node=\"all\"] .cell')].map((one) => one.getAttribute('class'))",
        ),
      )
      .toEqual(["cell is-completed", "cell is-completed", "cell is-failed", "cell is-completed"]);
    await expect.poll(() => page.textContent(".step-head .pill")).toBe("completed without 1");
    await page.keyboard.press("n");
    await page.waitForURL(/step=one&item=2/);
    await page.keyboard.press("n");
    await page.waitForURL(/item=0/);
    await cells.nth(1).click();
    await page.waitForURL(/step=one&item=1/);
  });

  it("is drawn as it went for the item that is chosen, which is marked, and the lens has the route that was read", async () => {
    const run = await served.run("sorts.yaml");
    const { page } = await visit(served, `/runs/${run}?step=one&item=1`);
    const drawn = () =>
      page.evaluate(`({
        one: document.querySelector('[data-node="one"]')?.getAttribute("class").match(/is-\\w+/)?.[0],
        zero: document.querySelector('[data-node="zero"]')?.getAttribute("class").match(/is-\\w+/)?.[0],
        lit: document.querySelectorAll(".edge.error.taken").length,
        marked: [...document.querySelectorAll(".cell title")].flatMap(({ textContent }) => textContent.match(/^item (.*): .*chosen$/)?.[1] ?? []).join(),
        marks: document.querySelectorAll(".cell-mark").length,
      })`);
    await expect.poll(drawn).toEqual({ one: "is-failed", zero: "is-pending", lit: 0, marked: "1", marks: 1 });
    await page.locator(".lens .routes").waitFor();
    await expect.poll(() => page.textContent(".lens .routes")).toContain("other kind");
    await page.locator('[data-node="all"] .cell').nth(2).click();
    await expect.poll(drawn).toEqual({ one: "is-recovered", zero: "is-completed", lit: 1, marked: "2", marks: 1 });
    await page.locator(".lens .verdict button").click();
    await page.waitForURL(/step=zero&item=2/);
    await expect.poll(drawn).toMatchObject({ zero: "is-completed", marked: "2" });
    await page.locator('[data-node="all"] .cell').nth(0).click();
    await expect.poll(drawn).toEqual({ one: "is-completed", zero: "is-pending", lit: 0, marked: "0", marks: 1 });
    await page.locator('[data-node="zero"]').click();
    await seen(page, "The run has not come here for the item 0.");
    await page.goto(`${served.url}/runs/${run}?step=all&item=1`);
    await expect.poll(() => page.textContent(".step-head .pill")).toBe("completed without 1");
  });
});

describe.skipIf(isWithoutBrowser)("an address", () => {
  it("that leads nowhere says so in the page, and /runs is all runs", async () => {
    const { page } = await visit(served, "/nowhere");
    await seen(page, "leads nowhere");
    await page.goto(`${served.url}/runs`);
    await page.waitForSelector(".run-row:not(.head)");
    expect(new URL(page.url()).pathname).toBe("/");
  });
});

describe.skipIf(isWithoutBrowser)("a letter", () => {
  it("says which item it is of, has room for its message, and is retried from the list", async () => {
    const api = await startApi({ isUp: false });
    writeFileSync(join(served.root, "calls.yaml"), calls(api.url));
    const run = await served.run("calls.yaml");
    const { page } = await visit(served, `/letters?run=${run}`);
    const rows = page.locator("tbody tr:not(.l-run)");
    await expect.poll(() => rows.count()).toBe(2);
    expect((await page.locator(".l-where").allTextContents()).join()).toMatch(/shop/);
    const widthOf = async (): Promise<number> => (await page.locator(".l-what").first().boundingBox())?.width ?? 0;
    await expect.poll(widthOf).toBeGreaterThan(300);
    api.isUp = true;
    await rows.filter({ hasText: "shop" }).getByRole("button", { name: "Retry" }).click();
    await page.locator("[role=dialog] .scenes").waitFor();
    await page.locator("[role=dialog]").getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => rows.filter({ hasText: "shop" }).count()).toBe(0);
  });
});

describe.skipIf(isWithoutBrowser)("a workflow file", () => {
  it("that does not load says at which line, and leads to it", async () => {
    const { page } = await visit(served, "/workflows/broken.yaml");
    await seen(page, "does not load");
    expect(await page.locator(".finding.is-failed").count()).toBeGreaterThan(0);
    await page.getByRole("link", { name: "line 1" }).first().click();
    await page.waitForSelector(".yaml-line.flagged[aria-current]");
    await expect.poll(() => page.textContent(".yaml-line.flagged[aria-current]")).toContain("frist");
  });

  it("that is only warned of can be started, and its warnings do not look like errors", async () => {
    const { page } = await visit(served, "/workflows/warns.yaml");
    await page.waitForSelector(".finding.is-recovered");
    expect(await page.locator(".finding.is-failed").count()).toBe(0);
    await page.waitForSelector("button[type=submit]");
  });
});

describe.skipIf(isWithoutBrowser)("the graph", () => {
  /** How much of the picture is above or below its room. */
  const cutOff = async (page: Page): Promise<number> => {
    const [all, room] = [
      await page.locator(".graph svg[role=img] > g").boundingBox(),
      await page.locator(".graph").boundingBox(),
    ];
    const [top, bottom] = [all?.y ?? 0, (all?.y ?? 0) + (all?.height ?? 0)];
    return Math.max(0, (room?.y ?? 0) - top) + Math.max(0, bottom - (room?.y ?? 0) - (room?.height ?? 0));
  };

  it("is whole in sight when the banner has grown, and stays put when somebody has moved it", async () => {
    const start = async () => (await served.post("/api/runs", { file: "steps.yaml", inputs: {} })).body.run_id;
    const { page } = await visit(served, `/runs/${await start()}`);
    await page.waitForSelector(".graph .lit");
    await page.waitForSelector(".banner.is-failed .banner-more");
    await expect.poll(() => cutOff(page)).toBe(0);
    await page.goto(`${served.url}/runs/${await start()}`);
    await page.waitForSelector(".graph .lit");
    const transform = (): Promise<string | null> => page.locator(".graph svg[role=img] > g").getAttribute("transform");
    const before = await transform();
    await page.mouse.move(300, 500);
    await page.mouse.wheel(0, -200);
    await expect.poll(transform).not.toBe(before);
    const moved = await atRest(transform);
    await page.waitForSelector(".banner.is-failed .banner-more");
    expect(await transform()).toBe(moved);
  });
});

describe.skipIf(isWithoutBrowser)("on a phone", () => {
  it("the ticks of the timeline do not touch, and every page can be reached", async () => {
    const run = await served.run("fails.yaml");
    const { page } = await visit(served, `/runs/${run}?view=time`, { width: 390 });
    await page.waitForSelector(".tick");
    const ticks = (await atRest(() =>
      page.evaluate(
        "[...document.querySelectorAll('.tick')].map((one) => ({ text: one.textContent, ...one.getBoundingClientRect().toJSON() }))",
      ),
    )) as { readonly text: string; readonly left: number; readonly right: number }[];
    expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
    for (const [index, { right }] of ticks.slice(0, -1).entries())
      expect(right).toBeLessThanOrEqual(ticks[index + 1]?.left ?? 0);
    await page.getByLabel("More pages").selectOption("/workflows");
    await seen(page, "fails.yaml");
    await page.goto(`${served.url}/workflows/fails.yaml`);
    await page.waitForSelector(".last-runs li");
    const rightOf = async (): Promise<number> => {
      const last = await page.locator(".last-runs li").first().boundingBox();
      return (last?.x ?? 0) + (last?.width ?? 999);
    };
    await expect.poll(rightOf).toBeLessThanOrEqual(390);
  });

  let here: Opened | undefined;
  it.each(["/", "/errors", "/gates", "/letters", "/breakers", "/limits", "/workflows", "/triggers"])(
    "nothing of %s is cut off",
    async (path) => {
      here ??= await stay(served, path, { width: 390 });
      const { page } = here;
      await go(here, path);
      await page.waitForSelector("h1");
      expect(await overflow(page)).toBe(0);
      const cut = await page.evaluate(
        "[...document.querySelectorAll('.header a, .header select, .header button')].filter((one) => one.getBoundingClientRect().right > innerWidth).length",
      );
      expect(cut).toBe(0);
    },
  );
});
