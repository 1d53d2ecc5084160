// The line to the server: cut again and again, shared by many tabs; and whose clock is right.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { atRest, closeBrowser, isWithoutBrowser, reload, Served, visit } from "./browser.ts";

/** How late a page on a busy machine may be; the clock of the test is wrong by hours. */
const LATE_S = 60;
const PROGRAM = join(process.cwd(), "dist", "main.cjs");
const [CUTS, VISITS] = [5, 8];
/** Each visit goes on when the test has let so many on. */
const LOOP = `
workflow: { name: loop, entry_point: step, limits: { max_iterations: 50 }, input: { let_on: { type: string } } }
agents:
  - { name: step, type: script, command: sh, args: ["-c", "until [ $(cat {{ workflow.input.let_on }}) -ge {{ context.iteration }} ]; do sleep 0.1; done; echo line"], routes: [{ to: last, when: "{{ context.iteration >= ${VISITS} }}" }, { to: step }] }
  - { name: last, type: set, value: "1" }
`;
const RETRIES = `
workflow: { name: retries, entry_point: flaky }
agents:
  - name: flaky
    type: script
    command: node
    args: ["-e", "process.exit(3)"]
    raises: [io.gone]
    routes: [{ to: $end }, { on_error: true, retry: { max: 3, initial_seconds: 250, max_seconds: 300, jitter: 0 } }]
`;

/** What the browser sees of the server goes through this, and can be cut. */
class Line {
  port = 0;
  readonly #sockets = new Set<Socket>();
  #isUp = true;
  readonly #door = createServer((near) => {
    near.on("error", () => undefined);
    if (!this.#isUp) {
      near.destroy();
      return;
    }
    const far = connect(this.port, "127.0.0.1");
    far.on("error", () => undefined);
    for (const one of [near, far]) this.#sockets.add(one);
    const end = (): void => {
      for (const one of [near, far]) {
        this.#sockets.delete(one);
        one.destroy();
      }
    };
    near.on("close", end).pipe(far);
    far.on("close", end).pipe(near);
  });

  open(): Promise<string> {
    return new Promise((resolve) =>
      this.#door.listen(0, "127.0.0.1", () =>
        resolve(`http://127.0.0.1:${(this.#door.address() as AddressInfo).port}`),
      ),
    );
  }

  set isUp(isUp: boolean) {
    this.#isUp = isUp;
    if (!isUp) for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.isUp = false;
    this.#door.close();
  }
}

const line = new Line();
let served: Served;
let through: string;
beforeAll(async () => {
  through = await line.open();
  served = await Served.start({ "loop.yaml": LOOP, "retries.yaml": RETRIES }, { publicUrl: through });
  line.port = served.listening.port;
});
afterAll(async () => {
  await closeBrowser();
  line.close();
  await served.close();
});

const start = async (file: string, inputs: object = {}): Promise<string> => {
  const { status, body } = await served.post("/api/runs", { file, inputs });
  expect(status).toBe(200);
  return body.run_id;
};

/** A run of LOOP that has not got on yet, and how to let it. */
async function startLoop(name: string): Promise<{ readonly run: string; letOn(visits: number): void }> {
  const let_on = join(served.folder, name);
  const letOn = (visits: number): void => writeFileSync(let_on, String(visits));
  letOn(0);
  return { run: await start("loop.yaml", { let_on }), letOn };
}

const lastSeq = async (run: string): Promise<number> => (await served.get(`/api/runs/${run}`)).body.seq;

/** What the page says of each step: its state, and how many visits it had. */
async function pictureOf(page: Page): Promise<unknown> {
  await page.waitForSelector(".step-head .pill");
  return page.evaluate(
    `[Object.fromEntries([...document.querySelectorAll("[data-node]")].map((at) => [at.dataset.node, at.getAttribute("class")])),
      document.querySelector(".banner .pill").textContent,
      document.querySelector(".step-head select")?.selectedOptions[0].textContent]`,
  );
}

/** The run, and each of its steps, as the page lights them. */
const statesOf = (page: Page): Promise<unknown> =>
  page.evaluate(`({
    status: document.querySelector(".banner .pill").textContent.trim().toLowerCase(),
    steps: Object.fromEntries([...document.querySelectorAll("[data-node]")].map((at) =>
      [at.dataset.node, /is-(\\w+)/.exec(at.getAttribute("class"))?.[1]])),
  })`);

/** The same as the command line says it. */
async function shownBySegno(run: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "show", run, "--output-format", "json"], {
    cwd: served.root,
    env: { PATH: process.env.PATH, HOME: served.home, SEGNO_HOME: served.home },
  });
  const { status, execution } = JSON.parse(stdout);
  const steps = execution.steps as readonly { readonly node_id: string; readonly status: string }[];
  return { status, steps: Object.fromEntries(steps.map((step) => [step.node_id, step.status])) };
}

describe.skipIf(isWithoutBrowser)("the line to the server", () => {
  it("is cut five times in a run; then the page shows what segno show says", async () => {
    const { run, letOn } = await startLoop("cut");
    const { page } = await visit(served, `/runs/${run}?step=step`, { through });
    await page.waitForSelector('[data-node="step"].is-running');
    for (let cut = 0; cut < CUTS; cut++) {
      const before = await lastSeq(run);
      line.isUp = false;
      await page.waitForSelector(".connection.away");
      await expect.poll(() => page.textContent(".connection")).toMatch(/^not connected since \d/);
      // The run goes on unseen.
      letOn(cut + 1);
      await expect.poll(() => lastSeq(run)).toBeGreaterThan(before);
      line.isUp = true;
      await page.waitForSelector(".connection:not(.away)");
    }
    letOn(VISITS);
    await page.waitForSelector(".banner.is-completed");
    await page.waitForSelector('[data-node="last"].is-completed');
    await expect.poll(() => page.textContent(".step-head select")).toContain(`${VISITS} of ${VISITS} · completed`);
    await expect.poll(() => statesOf(page)).toEqual(await shownBySegno(run));
    const live = await atRest(() => pictureOf(page));
    await reload(page);
    await page.waitForSelector('[data-node="last"].is-completed');
    await expect.poll(() => pictureOf(page)).toEqual(live);
  });

  it("stands still with its clocks while it is cut", async () => {
    const run = await start("retries.yaml");
    const { page } = await visit(served, `/runs/${run}`, { through });
    await page.waitForSelector(".countdown");
    line.isUp = false;
    await page.waitForSelector(".connection.away");
    const stood = await page.textContent(".countdown");
    // Longer than a clock takes from second to second.
    await page.evaluate("new Promise((done) => setTimeout(done, 2200))");
    expect(await page.textContent(".countdown")).toBe(stood);
    line.isUp = true;
    await page.waitForSelector(".connection:not(.away)");
    await expect.poll(() => page.textContent(".countdown")).not.toBe(stood);
    await served.post(`/api/runs/${run}/cancel`, { seq: await lastSeq(run) });
  });

  it("counts down by the server's clock, after a reload and with a clock that is wrong", async () => {
    const run = await start("retries.yaml");
    const { page } = await visit(served, `/runs/${run}`, { clockAheadMs: -7 * 3600 * 1000 });
    await page.waitForSelector(".countdown");
    const { body } = await served.get(`/api/runs/${run}/events?limit=50&type=retry_scheduled`);
    const until = Date.parse(body.events.at(-1).data.until);
    for (let loaded = 0; loaded < 3; loaded++) {
      await page.waitForSelector(".countdown");
      // Somewhere between these two moments it was read, and a busy page shows a second that is over.
      const earliest = Date.now();
      const text = (await page.textContent(".countdown")) ?? "";
      const latest = Date.now();
      const [, minutes = "0", seconds = "0"] = /(?:(\d+) min)?\s*(?:(\d+) s)?$/.exec(text) ?? [];
      const shown = Number(minutes) * 60 + Number(seconds);
      expect(shown).toBeLessThanOrEqual((until - earliest) / 1000 + LATE_S);
      expect(shown).toBeGreaterThanOrEqual((until - latest) / 1000 - LATE_S);
      await reload(page);
    }
    await served.post(`/api/runs/${run}/cancel`, { seq: await lastSeq(run) });
  });

  it("is one for eight tabs, all of them live", async () => {
    const { run, letOn } = await startLoop("tabs");
    const { page, context } = await visit(served, `/runs/${run}`, { isAlone: true });
    const tabs = [page];
    for (let tab = 1; tab < 8; tab++) {
      const next = await context.newPage();
      await next.goto(`${served.url}/runs/${run}`);
      tabs.push(next);
    }
    for (const tab of tabs) await tab.waitForSelector('[data-node="step"].is-running');
    // A ninth request is still answered.
    expect(await page.evaluate("fetch('/healthz').then((answer) => answer.status)")).toBe(200);
    letOn(VISITS);
    await Promise.all(tabs.map((tab) => tab.waitForSelector(".banner.is-completed")));
  });
});
