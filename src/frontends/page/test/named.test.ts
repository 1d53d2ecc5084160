// A run that is started under a name of its own, and found again by an input.
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, Served, visit } from "./browser.ts";

const ORDERS = `
workflow:
  name: orders
  entry_point: give
  input: { customer: { type: string } }
steps: [{ name: give, type: set, value: 1 }]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "orders.yaml": ORDERS });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

it.skipIf(isWithoutBrowser)("a run has the name that its form gave it, and is listed by its input", async () => {
  const { page } = await visit(served, "/workflows/orders.yaml");
  for (const [customer, name] of [
    ["acme", "acme, again"],
    ["other", "another"],
  ] as const) {
    await page.goto(`${served.url}/workflows/orders.yaml`);
    await page.getByLabel("customer").fill(customer);
    await page.getByLabel("Name of the run").fill(name);
    await page.getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/\/runs\//);
  }
  await page.goto(served.url);
  const names = page.locator(".run-row:not(.head) .c-name a");
  await expect.poll(() => names.allTextContents()).toEqual(["another", "acme, again"]);
  await page.keyboard.press("/");
  await page.keyboard.type("customer=acme");
  await expect.poll(() => names.allTextContents()).toEqual(["acme, again"]);
});
