// What a script printed: more than the log has, of which the page holds what is in sight; and what one still prints, followed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { atRest, closeBrowser, isWithoutBrowser, quiet, Served, until, visit } from "./browser.ts";

const LINES = 120_000;
const LOUD = `
const { writeSync } = require("node:fs");
let text = "";
for (let line = 0; line < ${LINES}; line++) {
  const mark = [7, 60000, ${LINES - 2}].includes(line) ? " a Needle in the hay" : "";
  text += ("line " + line + mark + " ").padEnd(104, "hay ") + "\\n";
  if (text.length > 60000) { writeSync(1, text); text = ""; }
}
writeSync(1, text + "\\u001b[31mthe last, in red\\u001b[0m\\n");
`;
const ON_AND_ON = `
const { existsSync, writeSync } = require("node:fs");
let line = 0;
const print = (count) => { let text = ""; for (let i = 0; i < count; i++) text += "line " + line++ + " of many that are printed\\n"; writeSync(1, text); };
print(5000);
setInterval(() => existsSync("enough") ? process.exit(0) : print(5), 40);
`;
const script = (name: string, text: string): string => `
workflow: { name: ${name}, entry_point: say }
agents: [{ name: say, type: script, command: node, args: ["-e", ${JSON.stringify(text)}] }]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "loud.yaml": script("loud", LOUD), "on.yaml": script("on", ON_AND_ON) });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const scroll = (page: Page, to: string): Promise<unknown> =>
  page.evaluate(`{ const list = document.querySelector(".printed .rows"); list.scrollTop = ${to}; }`);
const lines = (page: Page): Promise<string[]> => page.locator(".printed-line").allInnerTexts();
const countOf = async (page: Page): Promise<number> =>
  Number(
    ((await page.textContent(".printed-tools")) ?? "").replace(/.*?([\d\s.,]+) lines.*/s, "$1").replace(/\D/g, ""),
  );

describe.skipIf(isWithoutBrowser)("what a script printed", () => {
  it("is 12 MB, and can be scrolled to its end and searched", async () => {
    const run = await served.run("loud.yaml");
    const here = await visit(served, `/runs/${run}?step=say`);
    const { page } = here;
    await page.waitForSelector(".printed-line");
    await expect.poll(() => page.textContent('[role="tab"]:has-text("stdout")')).toMatch(/1\d(\.\d+)? Mi?B/);
    await expect.poll(() => countOf(page)).toBe(LINES + 1);
    await expect.poll(async () => (await lines(page))[0]).toMatch(/^line 0 /);
    // The end, which is in no event of the log.
    await scroll(page, "list.scrollHeight");
    await page.waitForSelector(".printed-line .ansi-red");
    await expect.poll(async () => (await lines(page)).at(-1)?.trim()).toBe("the last, in red");
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1500);
    await page.fill(".printed input[type=search]", "needle in");
    await until(page, `document.querySelector(".printed-tools")?.textContent.includes("1 of 3")`);
    const found = page.locator(".printed-line.found");
    await expect.poll(() => found.innerText()).toContain("line 7 a Needle");
    await page.keyboard.press("Enter");
    await expect.poll(() => found.innerText()).toContain("line 60000 a Needle");
    await page.getByRole("button", { name: "The next" }).click();
    await expect.poll(() => found.innerText()).toContain(`line ${LINES - 2} a Needle`);
    await page.keyboard.press("Tab");
    await page.focus(".printed input[type=search]");
    await page.keyboard.press("Shift+Enter");
    await expect.poll(() => found.innerText()).toContain("line 60000 a Needle");
    quiet(here);
  });

  it("is followed while it is printed, until somebody scrolls up", async () => {
    const { body } = await served.post("/api/runs", { file: "on.yaml", inputs: {} });
    const { page } = await visit(served, `/runs/${body.run_id}?step=say`);
    await expect.poll(() => countOf(page)).toBeGreaterThan(5000);
    const gap = `(() => { const { scrollTop, scrollHeight, clientHeight } = document.querySelector(".printed .rows"); return scrollHeight - clientHeight - scrollTop; })()`;
    const more = async (): Promise<void> => {
      const before = await countOf(page);
      await expect.poll(() => countOf(page)).toBeGreaterThan(before + 10);
    };
    await more();
    await expect.poll(() => page.evaluate(gap)).toBeLessThan(20);
    const follow = page.getByRole("button", { name: "Follow", exact: true });
    // As a person does: a line that comes in the moment of the scrolling takes it back.
    const scrolledUp = async (): Promise<boolean> => {
      await scroll(page, "list.scrollTop - 900");
      return follow.isVisible();
    };
    await expect.poll(scrolledUp).toBe(true);
    const [first] = await atRest(() => lines(page));
    await more();
    expect((await lines(page))[0]).toBe(first);
    await follow.click();
    await more();
    await expect.poll(() => page.evaluate(gap)).toBeLessThan(20);
    writeFileSync(join(served.root, "enough"), "");
    await page.waitForSelector(".banner.is-completed");
  });
});
