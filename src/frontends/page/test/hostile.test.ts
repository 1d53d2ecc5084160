// What a workflow, a model or a script writes is shown, never run: no script, no foreign request, no element of its own.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, go, isWithoutBrowser, type Opened, Served, stay } from "./browser.ts";

const TAG = "<img src=http://example.invalid/x onerror=globalThis.hit=1><script>globalThis.hit=1</script>";
const FILE = `
workflow: { name: ${JSON.stringify(`w ${TAG}`)}, entry_point: print }
agents:
  - name: print
    type: script
    command: node
    args: ["-e", ${JSON.stringify(`console.log("\\u001b]8;;javascript:globalThis.hit=1\\u0007link\\u001b]8;;\\u0007 \\u001b[31m" + ${JSON.stringify(TAG)} + "\\u001b[0m \\u001b]0;title\\u0007\\u001b[2J after")`)}]
    routes: [{ to: each }]
  - name: ask
    type: human_gate
    prompt: ${JSON.stringify(`**Go**? ${TAG} [link](javascript:globalThis.hit=1) ![x](http://example.invalid/y.png) <svg onload=globalThis.hit=1><a xlink:href="javascript:globalThis.hit=1">x</a></svg> <iframe srcdoc="<script>top.hit=1</script>"></iframe> <form action=http://example.invalid><input name=a></form> <style>*{display:none}</style>`)}
    options: [{ label: ${JSON.stringify(`Yes ${TAG}`)}, value: "yes", route: end }]
  - { name: end, type: terminate, status: success, reason: ${JSON.stringify(`done ${TAG}`)} }
for_each:
  - { name: each, type: for_each, source: workflow.input.items, as: item, agent: { name: one, type: set, value: "{{ item }}" }, routes: [{ to: ask, when: ${JSON.stringify(`workflow.input.items[0] != "</text><script>globalThis.hit=1</script>"`)} }, { to: ask }] }
`;

let served: Served;
let run: string;
beforeAll(async () => {
  served = await Served.start({ "hostile.yaml": FILE });
  run = await served.run("hostile.yaml", { items: [TAG, "</title><script>globalThis.hit=1</script>"] });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

const places = [
  ["the list of runs", "/", ".run-row:not(.head)"],
  ["the graph, its labels and its tooltips", "/runs/RUN", '[data-node="print"]'],
  ["what a script printed", "/runs/RUN?step=print", ".printed-line"],
  ["the items of a for_each", "/runs/RUN?step=each", ".step-head .pill"],
  ["the timeline", "/runs/RUN?view=time", ".segment"],
  ["the log", "/runs/RUN?view=log", ".log-line"],
  ["the story", "/runs/RUN?view=story", ".chapter"],
  ["a question in Markdown", "/gates", ".gate .markdown strong"],
  ["the workflow's own page", "/workflows/hostile.yaml", ".graph svg"],
] as const;

describe.skipIf(isWithoutBrowser)("what others wrote is inert", () => {
  let opened: Opened;
  const foreign: string[] = [];
  beforeAll(async () => {
    opened = await stay(served, "/breakers");
    opened.page.on("request", (request) => {
      if (!request.url().startsWith(served.url) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
  });

  it.each(places)("in %s", async (_, path, ready) => {
    const { page } = opened;
    await go(opened, path.replace("RUN", run));
    await page.waitForSelector(ready);
    const inside = [
      "img",
      "script",
      "iframe",
      "form[action]",
      "style",
      "input[name=a]",
      "svg a",
      "[onload]",
      "[onerror]",
    ];
    const found = await page.evaluate(
      `[${JSON.stringify(inside)}.flatMap((one) => [...document.querySelectorAll("main " + one)].map((at) => at.outerHTML)),
        [...document.querySelectorAll("main a[href]")].map((at) => at.protocol).filter((one) => !/^https?:$/.test(one)),
        globalThis.hit ?? "nothing ran"]`,
    );
    expect(found).toEqual([[], [], "nothing ran"]);
    expect(foreign).toEqual([]);
  });

  it("and terminal escapes colour text, and do nothing else", async () => {
    const { page } = opened;
    await go(opened, `/runs/${run}?step=print`);
    const line = page.locator(".printed-line").first();
    await line.waitFor();
    const text = (await line.textContent())?.trim() ?? "";
    expect(text).toContain("<img src=http://example.invalid/x");
    expect(text).toContain("after");
    expect(text).not.toMatch(/[\u0000-\u0008\u001b]|\]8;;|\]0;title|\[2J/);
    await expect.poll(() => page.title()).toContain("Segno");
  });
});
