// Small ways around the page that people notice when they are missing: filters by key, letters that are retried, and a
// server that was started anew.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, Served, seen, visit } from "./browser.ts";

const KEPT = `
workflow: { name: kept, entry_point: fetch, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } } }
agents: [{ name: fetch, type: script, command: node, args: ["-e", "if (!require('node:fs').existsSync('ok')) process.exit(3)"], raises: [io.gone] }]
`;

let served: Served;
let run: string;
beforeAll(async () => {
  served = await Served.start({ "kept.yaml": KEPT, "other.yaml": KEPT.replace("kept", "other") });
  run = await served.run("kept.yaml");
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

describe.skipIf(isWithoutBrowser)("a filter", () => {
  it.each([
    ["/workflows", "tr.chosen", "tbody tr"],
    ["/", ".run-row.chosen", ".run-row:not(.head)"],
  ])("of %s is left by Escape with its text, and by Enter for the list", async (path, chosen, row) => {
    const { page } = await visit(served, path);
    await page.waitForSelector(row);
    await page.keyboard.press("/");
    await page.keyboard.type("kep");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");
    await expect.poll(() => page.inputValue("[data-filter]")).toBe("kep");
    await page.waitForURL(/text=kep/);
    expect(await page.locator(chosen).count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.press("Enter");
    await page.waitForSelector(chosen);
    await expect.poll(() => page.inputValue("[data-filter]")).toBe("kep");
  });

  it("that was left while somebody typed does not come along to the next page", async () => {
    const { page } = await visit(served, "/", { isAlone: true });
    await page.waitForSelector(".run-row:not(.head)");
    // The page's clock stands still: on a busy machine the pause after typing would be over before the click.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.keyboard.press("/");
    await page.keyboard.type("kep");
    await page.getByRole("link", { name: "kept" }).first().click();
    await page.waitForURL(`${served.url}/runs/${run}`);
    await page.clock.runFor(1000);
    expect(page.url()).toBe(`${served.url}/runs/${run}`);
  });
});

describe.skipIf(isWithoutBrowser)("a page without a session", () => {
  it("is let in by the token, at the view that it was", async () => {
    const { page } = await visit(served, "/");
    await page.waitForSelector(".run-row");
    await page.evaluate("localStorage.clear()");
    await page.goto(`${served.url}/runs/${run}?view=log`);
    await seen(page, "This page has no session");
    await page.fill("input[name=token]", "certainly-not-the-token");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".trouble");
    await page.fill("input[name=token]", `${served.url}/#token=${served.token}`);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".log-line");
    expect(page.url()).toBe(`${served.url}/runs/${run}?view=log`);
  });
});

describe.skipIf(isWithoutBrowser)("a letter that is retried", () => {
  it("is shown as resolved when its run has ended, without being asked for now and then", async () => {
    const { page } = await visit(served, "/", { isAlone: true });
    await page.waitForSelector(".run-row");
    await page.addInitScript("window.setInterval = () => 0");
    await page.goto(`${served.url}/letters?all=1`);
    await page.waitForSelector(".l-state");
    writeFileSync(join(served.root, "ok"), "");
    await page.getByRole("button", { name: "Retry fetch" }).click();
    await page.locator("[role=dialog] .scenes", { hasText: "fetch" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".l-state", { hasText: "resolved" }).waitFor();
  });
});
