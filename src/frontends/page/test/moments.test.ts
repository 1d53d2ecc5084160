// Every view is its address, and every moment of a run can be seen again.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../../../../test/support/property-runs.ts";
import { closeBrowser, isWithoutBrowser, reload, Served, visit } from "./browser.ts";

const FILE = `
workflow: { name: mixed, entry_point: first, limits: { max_iterations: 50 }, input: { items: { type: array, default: [1, 2, 3, 4, 5] } } }
agents:
  - { name: first, type: script, command: node, args: ["-e", "process.exit(3)"], raises: [io.gone], routes: [{ to: $end }, { on_error: "*", to: again }] }
  - { name: again, type: set, value: "{{ context.iteration }}", routes: [{ to: all, when: "{{ context.iteration >= 3 }}" }, { to: again }] }
  - { name: inner, type: workflow, workflow: child.yaml }
for_each:
  - { name: all, type: for_each, source: workflow.input.items, as: item, failure_mode: continue_on_error, agent: { name: one, type: script, command: node, args: ["-e", "process.exit({{ item }} === 2 ? 3 : 0)"], raises: [io.gone] }, routes: [{ to: inner }] }
`;
const CHILD = `
workflow: { name: child, entry_point: a }
agents: [{ name: a, type: set, value: "1", routes: [{ to: b }] }, { name: b, type: set, value: "2" }]
`;

let served: Served;
let run: string;
let last: number;
beforeAll(async () => {
  served = await Served.start({ "mixed.yaml": FILE, "child.yaml": CHILD });
  run = await served.run("mixed.yaml");
  last = (await served.get(`/api/runs/${run}`)).body.seq;
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

/** The same numbers each time, so that what fails once can be looked at. */
function* randoms(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

/** So many different ones. */
function addresses(count: number): ReadonlySet<string> {
  const random = randoms(7);
  const one = (from: readonly string[]): string => from[Math.floor(random.next().value * from.length)] ?? "";
  const places = [
    "",
    "step=first",
    "step=first&attempt=1",
    "step=again&visit=2",
    "step=one&item=1",
    "step=one&item=3",
    "step=inner/b",
  ];
  const all = new Set<string>();
  while (all.size < count) {
    const view = one(["", "view=time", "view=log", "view=story", "view=output"]);
    const at = one(["", "", `at=${Math.floor(random.next().value * last)}`]);
    const open = one(["", "open=none", "open=inner"]);
    all.add(`/runs/${run}?${[view, one(places), at, open].filter(Boolean).join("&")}`);
  }
  return all;
}

/** All that a person sees; ages of things go on, so they are left out. */
const SEEN = `JSON.stringify([
  document.querySelector('.run-tabs [aria-selected="true"]')?.textContent,
  [...document.querySelectorAll("[data-node]")].map((at) => [at.dataset.node, at.getAttribute("class")]),
  document.querySelector("main")?.innerText.replace(/\\d+ (ms|s|min) ago/g, "ago"),
  document.querySelector(".replay input")?.value,
])`;
/** The same, once it has come to rest. */
const AT_REST = `(async () => {
  // A list knows its lines a moment before it has measured where they go.
  const isUnmeasured = () => document.querySelector(".log") && !document.querySelector(".log-line, .log .quiet");
  for (let before = "", same = 0; same < 4; ) {
    await new Promise((done) => setTimeout(done, 80));
    const now = ${SEEN};
    same = now === before && !isUnmeasured() && !/Connecting|Loading|Laying out/.test(now) ? same + 1 : 0;
    before = now;
  }
  return ${SEEN};
})()`;

describe.skipIf(isWithoutBrowser)("a view of a run", () => {
  it("is the same after a reload by its address alone, many times at random", { timeout: 600_000 }, async () => {
    const { page } = await visit(served, `/runs/${run}`);
    // To load a page takes most of a second of processor time.
    for (const address of addresses(isWhole ? 30 : 8)) {
      await page.goto(`${served.url}${address}`);
      const before = await page.evaluate(AT_REST);
      const place = page.url();
      await reload(page);
      await expect.poll(async () => [address, await page.evaluate(SEEN)]).toEqual([address, before]);
      expect(page.url()).toBe(place);
    }
  });

  it("that has not come is held at the end", async () => {
    const { page } = await visit(served, `/runs/${run}?at=99999999`);
    await page.waitForURL(new RegExp(`at=${last}$`));
    await expect.poll(() => page.textContent(".replay .number")).toContain(`${last} / ${last}`);
  });

  it("at the end of a replay is the live picture", async () => {
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector('[data-node="inner"].is-completed');
    const picture = `JSON.stringify([...document.querySelectorAll(".graph svg > g > *")].map((at) => at.outerHTML))`;
    const live = await page.evaluate(picture);
    await page.goto(`${served.url}/runs/${run}?at=4`);
    await page.waitForSelector('[data-node="inner"].is-pending');
    expect(await page.evaluate(picture)).not.toBe(live);
    await page.goto(`${served.url}/runs/${run}?at=${last}`);
    await page.waitForSelector('[data-node="inner"].is-completed');
    await expect.poll(() => page.evaluate(picture)).toBe(live);
  });
});
