// The whole way by keyboard: start, watch, read the error, answer the gate, resume; and what must hold on the way.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { atRest, closeBrowser, isWithoutBrowser, quiet, reload, Served, seen, visit } from "./browser.ts";

const FAILS = `
workflow: { name: mend, entry_point: fetch }
agents:
  - name: fetch
    type: script
    command: node
    args: ["-e", "console.log('\\u001b[31mred\\u001b[0m line'); require('node:fs').writeFileSync(process.env.CONDUCTOR_ERROR_OUT, JSON.stringify({ kind: 'io.broken', message: 'the pipe broke' })); process.exit(3)"]
    raises: [io.broken, io.slow]
    routes:
      - to: $end
      - { on_error: io.slow, to: $end }
`;
const ASKS = `
workflow: { name: ask, entry_point: gate }
agents:
  - name: gate
    type: human_gate
    prompt: "**Publish** it? ![x](http://example.invalid/x.png) <img src=x onerror=alert(1)><script>alert(1)</script>"
    options:
      - { label: Yes, value: "yes", route: done }
      - { label: No, value: "no", route: done, prompt_for: why }
  - { name: done, type: set, value: "{{ gate.output.selected }}" }
`;
const EACH = `
workflow: { name: each, entry_point: all }
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    max_concurrent: 20
    failure_mode: continue_on_error
    agent: { name: one, type: set, value: "{{ item }}" }
`;
const CHILD = `
workflow: { name: child, entry_point: a }
agents: [{ name: a, type: set, value: "1", routes: [{ to: b }] }, { name: b, type: set, value: "2" }]
`;
const PARENT = `
workflow: { name: parent, entry_point: first }
agents:
  - { name: first, type: set, value: "1", routes: [{ to: inner }] }
  - { name: inner, type: workflow, workflow: child.yaml, routes: [{ to: last }] }
  - { name: last, type: set, value: "3" }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "mend.yaml": FAILS,
    "ask.yaml": ASKS,
    "each.yaml": EACH,
    "child.yaml": CHILD,
    "parent.yaml": PARENT,
  });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

describe.skipIf(isWithoutBrowser)("a run", () => {
  it("is started, watched and understood by keyboard alone", async () => {
    const here = await visit(served, "/");
    const { page } = here;
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await seen(page, "mend.yaml");
    await page.keyboard.press("/");
    await page.keyboard.type("mend");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("button[type=submit]");
    await page.focus("button[type=submit]");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\//);
    await page.waitForSelector(".banner.is-failed");
    await seen(page, "the pipe broke");
    // Along the edges to the step, and there is the lens.
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector(".lens");
    expect(page.url()).toContain("step=fetch");
    await expect.poll(() => page.textContent(".lens .kind")).toBe("io.broken");
    await expect.poll(() => page.textContent(".routes")).toContain("other kind");
    await expect.poll(() => page.textContent(".verdict")).toContain("No route took it");
    await seen(page, "red");
    quiet(here);
  });

  it("is found in the palette, step by step", async () => {
    const run = await served.run("mend.yaml");
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector(".graph svg");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("fetch");
    await page.keyboard.press("Enter");
    await page.waitForURL(/step=fetch/);
  });

  it("is found from any page, by its step or its workflow", async () => {
    await served.run("mend.yaml");
    const { page } = await visit(served, "/breakers");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("mend.yaml");
    await page.getByRole("option", { name: /workflow · mend.yaml/ }).waitFor();
    await page.fill(".palette input", "fetch step");
    await page
      .getByRole("option", { name: /step of/ })
      .first()
      .click();
    await page.waitForURL(/runs\/.*step=fetch/);
  });
});

describe.skipIf(isWithoutBrowser)("a gate", () => {
  it("is answered once, never by Enter alone, keeps its draft, and shows no image and runs no script", async () => {
    const run = await served.run("ask.yaml");
    const here = await visit(served, "/gates");
    const { page } = here;
    await page.waitForSelector(".gate .markdown strong");
    expect(await page.$$(".gate img, .gate script")).toHaveLength(0);
    await page.check('input[value="no"]');
    await page.fill(".gate textarea", "not today");
    await reload(page);
    await page.waitForSelector(".gate textarea");
    await expect.poll(() => page.inputValue(".gate textarea")).toBe("not today");
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/api/gates/")) sent += 1;
    });
    await page.focus('input[value="no"]');
    await page.keyboard.press("Enter");
    await page.focus(".gate footer .main");
    await page.keyboard.press("Enter");
    expect(sent).toBe(0);
    await page.dblclick(".gate footer .main");
    await seen(page, "No questions are waiting");
    expect(sent).toBe(1);
    await page.goto(`${served.url}/runs/${run}?view=output`);
    await page.waitForSelector(".banner.is-completed");
    quiet(here);
  });

  it("tells whoever is late who answered", async () => {
    await served.run("ask.yaml");
    const [first, second] = [await visit(served, "/gates"), await visit(served, "/gates", { isAlone: true })];
    // The second does not hear of it.
    await second.page.waitForSelector('input[value="yes"]');
    await second.context.route("**/api/stream*", (route) => route.abort());
    await first.page.check('input[value="yes"]');
    await second.page.check('input[value="yes"]');
    await second.context.route("**/api/gates", (route) => route.abort());
    await first.page.click(".gate footer .main");
    await seen(first.page, "No questions are waiting");
    await second.page.click(".gate footer .main");
    await seen(second.page, /answered it first/);
  });
});

describe.skipIf(isWithoutBrowser)("a gate that somebody has begun to answer", () => {
  it("stays when somebody else answers it, says who did, and keeps what was written until it is closed", async () => {
    const run = await served.run("ask.yaml");
    const begun = await Promise.all([visit(served, "/gates"), visit(served, `/runs/${run}?step=gate`)]);
    for (const { page } of begun) {
      await page.check('input[value="no"]');
      await page.fill(".gate textarea", "not on a Friday");
    }
    const { gates } = (await served.get("/api/gates")).body;
    const gate = gates.find((one: { run_id: string }) => one.run_id === run);
    await served.post(`/api/gates/${encodeURIComponent(gate.id)}`, { seq: gate.seq, value: "yes" });
    for (const { page } of begun) {
      await seen(page, /answered it first, with “Yes”/);
      await expect.poll(() => page.inputValue(".gate textarea[readonly]")).toBe("not on a Friday");
      await page.locator("article.gate").getByRole("button", { name: "Close" }).click();
      await expect.poll(() => page.locator("article.gate").count()).toBe(0);
    }
  });
});

describe.skipIf(isWithoutBrowser)("the graph", () => {
  it("keeps the clicked node where it is when a sub-workflow unfolds", async () => {
    const run = await served.run("parent.yaml");
    const { page } = await visit(served, `/runs/${run}?open=none&step=inner`);
    const corner = async (): Promise<{ x: number; y: number }> => {
      const box = await (await page.waitForSelector('[data-node="inner"] > .body:last-of-type'))?.boundingBox();
      return { x: box?.x ?? 0, y: box?.y ?? 0 };
    };
    const before = await atRest(corner);
    await page.keyboard.press("e");
    await page.waitForSelector('[data-node="inner/a"]');
    const after = await atRest(corner);
    expect(Math.abs(after.x - before.x)).toBeLessThanOrEqual(1);
    expect(Math.abs(after.y - before.y)).toBeLessThanOrEqual(1);
    expect(page.url()).toContain("open=inner");
  });

  it("draws a for_each of a thousand with less than 3 000 elements, and opens an item at once", async () => {
    const run = await served.run("each.yaml", { items: Array.from({ length: 1000 }, (_, index) => index) });
    const { page } = await visit(served, `/runs/${run}`);
    await page.waitForSelector('[data-node="all"] .cell.is-completed');
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(3000);
    await page.click('[data-node="all"] .cell:nth-of-type(4)');
    await page.waitForURL(/item=/);
    await page.waitForSelector(".step-head .pill");
  });
});

describe.skipIf(isWithoutBrowser)("the line to the server", () => {
  it("says since when it is cut", async () => {
    const own = await Served.start({ "ask.yaml": ASKS });
    const here = await visit(own, "/", { isAlone: true });
    const { page } = here;
    await seen(page, "live");
    await page.context().setOffline(true);
    await own.listening.close();
    await page.waitForSelector(".connection.away");
    await expect.poll(() => page.textContent(".connection")).toMatch(/^not connected since \d/);
    await own.close();
  });
});

describe("what the package says", () => {
  it("is what the page is built from", () => {
    expect(JSON.parse(readFileSync("package.json", "utf8")).files).toContain("dist/page");
  });
});
