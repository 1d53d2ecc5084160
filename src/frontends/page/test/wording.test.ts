// What stands on the page in small print: counts, headings, plans, and what a program wrote for a terminal.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, Served, visit } from "./browser.ts";

const FILE = `
workflow: { name: words, entry_point: fetch }
agents:
  - name: fetch
    type: script
    command: node
    args: ["-e", "console.error('\\u001b[31mred alert\\u001b[0m'); process.exit(3)"]
    raises: [io.gone, io.late]
    routes: [{ to: $end }, { on_error: [io.gone, io.late], to: ask }, { on_error: true, to: ask }]
  - { name: ask, type: human_gate, prompt: "[a trap](javascript:alert(1)) and [a way](https://example.invalid/)", options: [{ label: Yes, value: "yes", route: tail }] }
  - { name: tail, type: set, value: '{{ ["only"] }}' }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "words.yaml": FILE });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

describe.skipIf(isWithoutBrowser)("the page", () => {
  it("opens a workflow by a click anywhere in its row, and says its routes as the graph does", async () => {
    const { page } = await visit(served, "/workflows");
    await page.locator("tbody td", { hasText: "words.yaml" }).last().click();
    await page.waitForURL(/workflows\/words.yaml/);
    await page.getByRole("button", { name: /plan/i }).click();
    const plan = page.locator(".plan", { hasText: "fetch" });
    await plan.waitFor();
    await expect.poll(() => plan.textContent()).toContain("on io.gone, io.late: → ask, on any error: → ask");
  });

  it("shows no code that only a terminal understands, and no link that leads nowhere", async () => {
    const run = await served.run("words.yaml");
    const { page } = await visit(served, `/runs/${run}?step=fetch`);
    await page.waitForSelector(".lens-head p");
    await expect.poll(() => page.textContent(".lens-head p")).toContain("red alert");
    await expect.poll(() => page.textContent(".lens-head p")).toMatch(/^[^\u0000-\u0008\u001b]+$/);
    await page.goto(`${served.url}/gates`);
    await page.waitForSelector(".gate a[href^=https]");
    await expect.poll(() => page.locator(".gate .markdown a").allTextContents()).toEqual(["a way"]);
  });
});
