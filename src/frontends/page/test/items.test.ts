// Whatever leads to a step of a for_each leads to the very item that it is about: never to one that went well.
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, type Opened, quiet, Served, visit } from "./browser.ts";

const LOSES = `
workflow: { name: loses, entry_point: all, limits: { max_iterations: 1000 } }
for_each:
  - name: all
    type: for_each
    source: "{{ range(60) | list }}"
    as: item
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: { name: one, type: set, value: "{{ 100 / ((item - 7) % 10) }}" }
    routes: [{ to: $end }]
`;
const NEST = `
workflow: { name: nest, entry_point: regions }
for_each:
  - name: regions
    type: for_each
    source: '{{ [{"id": "eu"}, {"id": "us east"}] }}'
    as: region
    key_by: id
    max_concurrent: 2
    failure_mode: continue_on_error
    agent: { name: deploy, type: workflow, workflow: child.yaml, input_mapping: { region: "{{ region.id }}" } }
    routes: [{ to: $end }]
`;
const CHILD = `
workflow: { name: child, entry_point: hosts, input: { region: { type: string } } }
for_each:
  - name: hosts
    type: for_each
    source: "{{ range(4) | list }}"
    as: host
    max_concurrent: 1
    failure_mode: all_or_nothing
    agent:
      name: push
      type: script
      command: sh
      args: [-c, '[ "$1" != "us east" ] || [ $2 != 2 ] || { echo "{\\"kind\\":\\"host.down\\",\\"message\\":\\"host 2 is down\\"}" > "$CONDUCTOR_ERROR_OUT"; exit 1; }', sh, "{{ workflow.input.region }}", "{{ host }}"]
      raises: [host.down]
    routes: [{ to: $end }]
`;

let served: Served;
let loses: string;
let nest: string;
beforeAll(async () => {
  served = await Served.start({ "loses.yaml": LOSES, "nest.yaml": NEST, "child.yaml": CHILD });
  loses = await served.run("loses.yaml");
  nest = await served.run("nest.yaml");
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const seeing = (name: string, see: () => Promise<void>): void => it.skipIf(isWithoutBrowser)(name, see);

const chosenIn = ({ page }: Opened) => {
  const { searchParams } = new URL(page.url());
  return { step: searchParams.get("step"), item: searchParams.get("item") };
};

/** The panel is that of the item, and says that it failed. */
async function showsFailed({ page }: Opened, item: string): Promise<void> {
  const head = page.locator(".step-head");
  await expect.poll(() => head.innerText()).toContain(`item ${item}`);
  await head.locator(".is-failed").first().waitFor();
  await page.locator(".step .lens").waitFor();
}

seeing("a line of the log that tells of an error opens the item that raised it", async () => {
  const opened = await visit(served, `/runs/${loses}?view=log&type=error_raised`);
  const line = opened.page.locator(".log-line", { hasText: "error raised" }).filter({ hasText: "[7]" });
  await line.click();
  await showsFailed(opened, "7");
  expect(chosenIn(opened)).toEqual({ step: "one", item: "7" });
  quiet(opened);
});

seeing("a line of the log opens the item also inside the sub-workflow of another item", async () => {
  const opened = await visit(served, `/runs/${nest}?view=log&type=error_raised`);
  await opened.page.locator(".log-line", { hasText: "/push" }).filter({ hasText: "host 2 is down" }).click();
  await showsFailed(opened, "2");
  expect(chosenIn(opened)).toEqual({ step: "regions[us east]/push", item: "2" });
  quiet(opened);
});

seeing("the trail of an error leads to the item that raised it", async () => {
  const opened = await visit(served, `/runs/${nest}?step=deploy&item=us%20east`);
  const trail = opened.page.locator(".lens .trail");
  await trail.getByRole("button", { name: "child · push" }).click();
  await showsFailed(opened, "2");
  expect(chosenIn(opened)).toEqual({ step: "regions[us east]/push", item: "2" });
  quiet(opened);
});

seeing("the list of errors leads to the item that raised, in the sub-workflow of its item", async () => {
  const opened = await visit(served, "/errors");
  const newestOf = (workflow: string) =>
    opened.page.locator(".error-group", { hasText: workflow }).getByRole("link", { name: "Newest run" });
  await opened.page.locator(".error-group", { hasText: "nest · regions/push" }).waitFor();
  await newestOf("nest").click();
  await showsFailed(opened, "2");
  expect(chosenIn(opened)).toEqual({ step: "regions[us east]/push", item: "2" });
  await opened.page.goBack();
  await newestOf("loses").click();
  await showsFailed(opened, "57");
  expect(chosenIn(opened)).toEqual({ step: "one", item: "57" });
  quiet(opened);
});

seeing("the story names the other items that had the same, as explain does, and leads to them", async () => {
  const opened = await visit(served, `/runs/${loses}?view=story`);
  const { page } = opened;
  const trouble = page.locator(".story-trouble").filter({ hasText: "one [7]" });
  await expect.poll(() => trouble.innerText()).toContain("one [7] raised (and so did 17, 27, 37 and 2 more)");
  await trouble.getByRole("button", { name: "27", exact: true }).click();
  await showsFailed(opened, "27");
  expect(chosenIn(opened)).toEqual({ step: "one", item: "27" });
  quiet(opened);
});

seeing("a step of a for_each without an item shows the one that the graph draws, and no item as a visit", async () => {
  const opened = await visit(served, `/runs/${loses}?step=one`);
  await opened.page.waitForSelector('[data-node="one"].is-failed');
  await showsFailed(opened, "7");
  expect(await opened.page.locator(".step-head select").count()).toBe(0);
  quiet(opened);
});
