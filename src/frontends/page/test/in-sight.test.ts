// What one looks at stays where it is, and what is chosen is brought into sight.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { atRest, closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";
import { untilThere } from "./until-there.ts";

const STEPS = 120;
const LONG = `
workflow: { name: long, entry_point: s0, limits: { max_iterations: 400 } }
agents:
${Array.from({ length: STEPS }, (_, at) => `  - { name: s${at}, type: set, value: "${at}", routes: [{ to: ${at + 1 < STEPS ? `s${at + 1}` : "$end"} }] }`).join("\n")}
`;
const PAUSES = `
workflow: { name: pauses, entry_point: a }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: rest }] }
  - { name: rest, type: wait, duration: 3s, routes: [{ to: b }] }
  - { name: b, type: set, value: 2 }
`;
const AGAIN = `
workflow: { name: again, entry_point: a }
agents:
  - { name: a, type: set, value: 1, routes: [{ to: a, when: "{{ context.iteration < 3 }}" }, { to: $end }] }
`;
const LIVE = `
workflow: { name: live, entry_point: wait, input: { items: { type: array, default: [1, 2, 3, 4] } } }
agents:
  - { name: wait, type: script, command: node, args: ${untilThere("begin")}, routes: [{ to: retried }] }
  - { name: retried, type: script, command: node, args: ["-e", "const fs = require('node:fs'); if (!fs.existsSync('tried')) { fs.writeFileSync('tried', ''); process.exit(3) }"], raises: [io.gone], routes: [{ on_error: "*", retry: { max: 2, initial_seconds: 1 } }, { to: all }] }
  - { name: last, type: set, value: 1 }
for_each:
  - { name: all, type: for_each, source: workflow.input.items, as: item, agent: { name: one, type: set, value: "{{ item }}" }, routes: [{ to: last }] }
`;

let served: Served;
/** The id of one of `long`. */
let long: string;
beforeAll(async () => {
  served = await Served.start({ "long.yaml": LONG, "pauses.yaml": PAUSES, "live.yaml": LIVE, "again.yaml": AGAIN });
  long = await served.run("long.yaml");
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const isInSight = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const [one, room] = [document.querySelector("${selector}"), document.querySelector(".rows")].map((found) => found?.getBoundingClientRect());
    return one !== undefined && room !== undefined && one.top >= room.top - 1 && one.bottom <= room.bottom + 1;
  })()`);

describe.skipIf(isWithoutBrowser)("a step that the address names", () => {
  it.each([
    ["time", "s110", ".time-row.chosen"],
    ["log", "s5", ".log-line.chosen"],
  ])("is in sight in the view %s, and so is the next one that is chosen by key", async (view, step, row) => {
    const here = await visit(served, `/runs/${long}?view=${view}&step=${step}`);
    const { page } = here;
    await page.locator(row, { hasText: step }).waitFor();
    await expect.poll(() => isInSight(page, row)).toBe(true);
    for (let pressed = 0; pressed < 4; pressed++) await page.keyboard.press("k");
    await expect.poll(() => isInSight(page, row)).toBe(true);
    expect(page.url()).not.toContain(`step=${step}&`);
    quiet(here);
  });
});

describe.skipIf(isWithoutBrowser)("the timeline", () => {
  it("has the length of folded time written on it", async () => {
    const run = await served.run("pauses.yaml");
    const { page } = await visit(served, `/runs/${run}?view=time`);
    await page.waitForSelector(".fold-length");
    await expect.poll(() => page.textContent(".fold-length")).toMatch(/^([3-9]|\d\d)(\.\d)? s$/);
    const apart = (): Promise<unknown> =>
      page.evaluate(`(() => {
        const [label, fold] = [".fold-length", ".time-fold"].map((one) => document.querySelector(one)?.getBoundingClientRect().x);
        return label === undefined || fold === undefined ? null : Math.round(Math.abs(label - fold));
      })()`);
    await expect.poll(apart).toBe(0);
  });
});

describe.skipIf(isWithoutBrowser)("a line of the log", () => {
  it.each(["s0", "s60", "s119"])(
    "held by a line, of %s, offers to follow the run, and then its end is in sight",
    async (step) => {
      const { page } = await visit(served, `/runs/${long}?view=log&step=${step}`);
      await page.waitForSelector(".log-line.chosen");
      await page.getByRole("button", { name: "Follow" }).click();
      await expect.poll(() => page.locator(".log-line").last().textContent()).toContain("workflow");
      await expect.poll(() => page.getByRole("button", { name: "Follow" }).count()).toBe(0);
    },
  );

  it("is the last of the visit that is chosen, also where another is chosen by the address of the page", async () => {
    const run = await served.run("again.yaml");
    const { page } = await visit(served, `/runs/${run}?view=log&step=a&visit=2`);
    const chosen = (): Promise<unknown> => page.getAttribute(".log-line.chosen", "title");
    const { events } = (await served.get(`/api/runs/${run}/events`)).body;
    const lastOf = (key: string): string =>
      `event ${events.findLast(({ data }: { data: { key?: string } }) => data.key === key).seq}`;
    await expect.poll(chosen).toBe(lastOf("a#2"));
    await page.evaluate(
      "history.pushState(null, '', location.href.replace('visit=2', 'visit=1')); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await expect.poll(chosen).toBe(lastOf("a#1"));
  });

  it("is followed at the end of the log whatever height the window gets, until one goes up", async () => {
    const { page } = await visit(served, `/runs/${long}?view=log`);
    const follow = page.getByRole("button", { name: "Follow" });
    const end = `.log-line[title='event ${(await served.get(`/api/runs/${long}`)).body.seq}']`;
    for (const height of [800, 500, 900, 420, 1000, 600]) {
      await page.setViewportSize({ width: 1280, height });
      await expect.poll(() => isInSight(page, end)).toBe(true);
      expect(await atRest(() => follow.count())).toBe(0);
    }
    await page.locator(".log-lines").hover();
    await page.mouse.wheel(0, -300);
    await follow.waitFor();
    await page.setViewportSize({ width: 1280, height: 640 });
    expect(await atRest(() => follow.count())).toBe(1);
  });

  it("has room for what it says beside the panel of a step", async () => {
    const { page } = await visit(served, `/runs/${long}?view=log&step=s5`, { width: 1024 });
    await page.locator(".log-line.chosen", { hasText: "s5" }).waitFor();
    await page.waitForSelector(".split-side .step-head");
    const widthOf = async (): Promise<number> =>
      (await page.locator(".log-line.chosen .log-more").boundingBox())?.width ?? 0;
    await expect.poll(widthOf).toBeGreaterThan(180);
  });
});

describe.skipIf(isWithoutBrowser)("the camera", () => {
  it("is not moved by steps that begin, are tried again, have items, or end", async () => {
    const { body } = await served.post("/api/runs", { file: "live.yaml", inputs: {} });
    const { page } = await visit(served, `/runs/${body.run_id}`);
    await page.waitForSelector('[data-node="wait"].is-running');
    await page.evaluate(`globalThis.moves = []; new MutationObserver((records) => {
      for (const { target } of records) moves.push(target.getAttribute("transform"));
    }).observe(document.querySelector(".graph svg[role=img] > g"), { attributes: true, attributeFilter: ["transform"] })`);
    writeFileSync(join(served.root, "begin"), "");
    await page.waitForSelector('[data-node="last"].is-completed');
    await page.waitForSelector(".banner.is-completed");
    expect(existsSync(join(served.root, "tried"))).toBe(true);
    expect(await page.evaluate("moves")).toEqual([]);
  });

  it("sees all of a long graph, with boxes and ways as strong as they are close by", async () => {
    const { page } = await visit(served, `/runs/${long}`);
    await page.waitForSelector('[data-node="s60"].is-completed');
    await page.keyboard.press("f");
    await page.waitForSelector('.graph svg[data-detail="least"]');
    const thinnest =
      await page.evaluate(`Math.min(...[...document.querySelectorAll(".graph .body, .graph .line")].map((one) => {
      const { strokeWidth, vectorEffect } = getComputedStyle(one);
      return Number.parseFloat(strokeWidth) * (vectorEffect === "non-scaling-stroke" ? 1 : one.getScreenCTM().a);
    }))`);
    expect(thinnest).toBeGreaterThanOrEqual(1);
  });

  it("keeps the chosen step in sight on a phone, where its panel takes most of the height", async () => {
    const { page } = await visit(served, `/runs/${long}?step=s60`, { width: 390 });
    await page.waitForSelector(".step-head");
    const isSeen = (): Promise<unknown> =>
      page.evaluate(`(() => {
        const [node, room] = ['[data-node="s60"] .body', ".graph"].map((one) => document.querySelector(one)?.getBoundingClientRect());
        return node !== undefined && room !== undefined && node.top >= room.top && node.bottom <= room.bottom;
      })()`);
    await expect.poll(isSeen).toBe(true);
  });
});
