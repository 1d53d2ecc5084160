// How a run that ends itself looks: green or red octagons with the reason, and a banner that says so; also in children.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";

const ENDS = `
workflow: { name: ends, entry_point: pick, input: { how: { type: string } } }
agents:
  - { name: pick, type: set, value: "{{ workflow.input.how }}", routes: [{ to: inner, when: "workflow.input.how == 'child'" }, { to: good, when: "workflow.input.how == 'good'" }, { to: bad }] }
  - { name: inner, type: workflow, workflow: child.yaml, routes: [{ to: good }] }
  - { name: good, type: terminate, status: success, reason: "nothing to do" }
  - { name: bad, type: terminate, status: failed, reason: "the budget is spent" }
`;
const CHILD = `
workflow: { name: child, entry_point: stop }
agents: [{ name: stop, type: terminate, status: failed, reason: "the inner reason" }]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "ends.yaml": ENDS, "child.yaml": CHILD });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

describe.skipIf(isWithoutBrowser)("a run that a step ended", () => {
  it.each([
    ["good", "Terminated: success", "is-completed", "nothing to do"],
    ["bad", "Terminated: failed", "is-failed", "the budget is spent"],
  ])("as %s says %s, with its reason and its step", async (how, word, look, reason) => {
    const run = await served.run("ends.yaml", { how });
    const here = await visit(served, `/runs/${run}`);
    const { page } = here;
    const banner = page.locator(`.banner.${look}`);
    await banner.waitFor();
    await expect.poll(() => banner.locator(".status").textContent()).toBe(word);
    await expect.poll(() => banner.locator(".banner-said").textContent()).toBe(`${reason}${how}`);
    const octagon = page.locator(`[data-node="${how}"]`);
    await octagon.waitFor();
    await expect.poll(() => octagon.getAttribute("class")).toContain(`${look} lit`);
    expect((await octagon.locator("polygon").getAttribute("points"))?.split(" ")).toHaveLength(8);
    await expect.poll(() => octagon.locator("title").textContent()).toContain(reason);
    quiet(here);
    await page.goto(`${served.url}/`);
    await page.getByText(word, { exact: true }).first().waitFor();
    if (how === "bad") {
      await expect.poll(() => page.textContent(".run-row:has(.is-failed) .c-error")).toBe(`${how}${reason}`);
      await page.goto(`${served.url}/errors`);
      await page.getByText("terminated: failed", { exact: true }).waitFor();
      expect(await page.textContent(".error-group")).not.toContain("mended");
    }
  });

  it("inside a sub-workflow shows the octagon there, and the run as failed by it", async () => {
    const run = await served.run("ends.yaml", { how: "child" });
    const { page } = await visit(served, `/runs/${run}`);
    const octagon = page.locator('[data-node="inner/stop"]');
    await octagon.waitFor();
    await expect.poll(() => octagon.getAttribute("class")).toContain("is-failed lit");
    await expect.poll(() => octagon.locator("title").textContent()).toContain("the inner reason");
    await expect.poll(() => page.locator(".banner .kind").textContent()).toBe("subworkflow.terminated");
  });
});
