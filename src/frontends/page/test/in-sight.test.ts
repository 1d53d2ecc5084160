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
const RECOVERS = `
workflow: { name: recovers, entry_point: s0, limits: { max_iterations: 100 } }
steps:
${Array.from({ length: 30 }, (_, at) => `  - { name: s${at}, type: set, value: "${at}", routes: [{ to: ${at + 1 < 30 ? `s${at + 1}` : "tag"} }] }`).join("\n")}
  - { name: tag, type: set, value: "{{ 1 if mended is defined else workflow.input.gone }}", routes: [{ to: $end }, { on_error: true, to: mended }] }
  - { name: mended, type: set, value: 1, routes: [{ to: tag }] }
`;
const STOPS = `
workflow: { name: stops, entry_point: s0, limits: { max_iterations: 40 } }
steps:
${Array.from({ length: 60 }, (_, at) => `  - { name: s${at}, type: set, value: "${at}", routes: [{ to: ${at + 1 < 60 ? `s${at + 1}` : "$end"} }] }`).join("\n")}
`;
const FOUR_GATES = `
workflow: { name: gates, entry_point: all }
steps: []
for_each:
  - name: all
    type: for_each
    source: "{{ ['eu', 'us', 'ap', 'sa'] }}"
    as: region
    agent: { name: ask, type: human_gate, prompt: "Roll out to {{ region }}?", options: [{ label: Go, value: go }, { label: Wait, value: wait, prompt_for: why }, { label: Stop, value: stop }] }
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
  served = await Served.start({
    "long.yaml": LONG,
    "pauses.yaml": PAUSES,
    "live.yaml": LIVE,
    "again.yaml": AGAIN,
    "recovers.yaml": RECOVERS,
    "stops.yaml": STOPS,
    "gates.yaml": FOUR_GATES,
  });
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

/** Whether all of it is where one can see it, also inside of what scrolls. */
const isShown = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const one = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect();
    return one !== undefined && one.height > 0 && one.top >= 0 && one.bottom <= innerHeight;
  })()`);

describe.skipIf(isWithoutBrowser)("a run opens where it matters", () => {
  it("at the step that recovered last, whose link leads to the visit that failed, with its error", async () => {
    const run = await served.run("recovers.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector('[data-node="tag"]');
    await expect.poll(() => isShown(page, '[data-node="tag"] .body')).toBe(true);
    await page.locator(".banner-met .link").click();
    await page.waitForSelector(".lens .kind");
    expect(page.url()).toContain("step=tag&visit=1");
    expect(await page.textContent(".step-head")).toContain("recovered");
  });

  it("at the step before which its limit was used up", async () => {
    const run = await served.run("stops.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector('[data-node="s40"]');
    await expect.poll(() => isShown(page, '[data-node="s40"] .body')).toBe(true);
  });
});

describe.skipIf(isWithoutBrowser)("gates at half the width of a screen", () => {
  const scrolling = `[...document.querySelectorAll("*")].filter((one) => one.scrollHeight > one.clientHeight + 1
    && (one === document.documentElement || /auto|scroll/.test(getComputedStyle(one).overflowY))).length`;

  it("scroll once, and Send is in sight of each", async () => {
    await served.run("gates.yaml");
    const { page } = await visit(served, "/gates", { width: 757 });
    await page.setViewportSize({ width: 757, height: 757 });
    await expect.poll(() => page.locator(".gate").count()).toBe(4);
    expect(await page.evaluate(scrolling)).toBe(1);
    await page.setViewportSize({ width: 757, height: 300 });
    await expect.poll(() => isShown(page, ".gate footer .main")).toBe(true);
  });

  it("open the question that the banner quotes", async () => {
    const run = await served.run("gates.yaml");
    const { page } = await visit(served, `/runs/${run}`, { width: 757 });
    await page.getByTitle("Answer (r)").click();
    await expect.poll(() => page.textContent(".step .gate .markdown")).toContain("Roll out to eu?");
    expect(await page.textContent(".banner-text")).toContain("Roll out to eu?");
  });
});

describe.skipIf(isWithoutBrowser)("the header", () => {
  it("has pages without an entry under More until they have one", async () => {
    const { page } = await visit(served, "/");
    const links = (): Promise<string[]> => page.locator("nav.pages a").allInnerTexts();
    await expect
      .poll(async () => (await links()).map((text) => text.replace(/\s.*/s, "")))
      .toEqual(["Runs", "Errors", "Gates", "Workflows"]);
    await page.getByLabel("More pages").selectOption("/breakers");
    await page.waitForURL(/\/breakers$/);
    await expect.poll(() => page.getByLabel("More pages").inputValue()).toBe("/breakers");
  });

  it("says that it waits where an answer takes longer than a second", async () => {
    const { page } = await visit(served, "/", { isAlone: true });
    let answer = (): void => {};
    await page.route("**/api/workflows*", async (route) => {
      await new Promise<void>((done) => {
        answer = done;
      });
      await route.continue();
    });
    await page.clock.install();
    await page.click('nav.pages a[href="/workflows"]');
    await page.clock.runFor(1000);
    await page.getByRole("progressbar", { name: "Waiting for the server" }).waitFor();
    answer();
    await expect.poll(() => page.getByRole("progressbar").count()).toBe(0);
  });
});
