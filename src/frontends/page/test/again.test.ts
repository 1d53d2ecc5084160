// Starting a run again: with the inputs that it had, whole, and never with what the page shows in place of a secret.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const SECRET = "k3y-of-the-house";
const OTHER = "an0ther-k3y-of-it";
/** What the run got, without saying it: a secret would be hidden. */
const measured = (name: string): string =>
  `{ name: ${name}, type: script, command: node, args: ["-e", "process.stdout.write(String(process.argv[1].length))", "--", "{{ workflow.input.api_key }}"] }`;
const KEYED = `
workflow:
  name: keyed
  entry_point: look
  input:
    api_key: { type: string, secret: true }
    spare: { type: string, secret: true, required: false }
    obj: { type: object, default: {} }
agents: [${measured("look")}]
output: { size: "{{ look.output.stdout }}" }
`;
const TEXTS = `
workflow:
  name: texts
  entry_point: give
  input:
    text: { type: string, default: preset }
    list: { type: array, default: [] }
agents: [{ name: give, type: set, value: "{{ workflow.input.text }}" }]
`;
const ANY = `
workflow: { name: any, entry_point: give }
agents: [{ name: give, type: set, value: 1 }]
`;

/** Runs in the page. */
const PASTE = `
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", "first line\\nsecond line");
  const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.querySelector("form [type=password]").dispatchEvent(paste);
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "keyed.yaml": KEYED, "texts.yaml": TEXTS, "any.yaml": ANY });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

/** Opens the run and asks for it again, as its banner offers it. */
async function askAgain(run: string) {
  const here = await visit(served, `/runs/${run}`);
  await here.page.locator(".banner").getByRole("button", { name: "Again" }).click();
  await here.page.waitForURL(/like=/);
  return here;
}

const inputIn = (page: Page, name: string): Locator => page.locator("form").getByLabel(name);

const start = (page: Page): Promise<void> => page.getByRole("button", { name: "Start" }).click();

/** The run that the page has come to, once it has ended. */
async function startedFrom(page: Page, before = "none"): Promise<string> {
  await page.waitForURL((url) => url.pathname.startsWith("/runs/") && !url.pathname.endsWith(before));
  await page.waitForSelector(".banner.is-completed");
  return decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
}

const runsOf = async (file: string): Promise<number> =>
  (await served.get(`/api/runs?file=${encodeURIComponent(file)}`)).body.runs.length;

/** What a run was given, as its journal has it. */
async function inputsOf(run: string): Promise<Record<string, unknown>> {
  const { body } = await served.get(`/api/runs/${run}/events?limit=1&type=workflow_started`);
  const inputs: Record<string, unknown> = body.events[0].data.inputs;
  for (const [name, value] of Object.entries(inputs))
    if (value !== null && typeof value === "object" && "$big" in value)
      inputs[name] = await (await served.fetch(`/api/blobs/${value.$big}?run=${run}`)).json();
  return inputs;
}

describe.skipIf(isWithoutBrowser)("a run started again", () => {
  it("asks for its secrets, and starts with nothing in their place", async () => {
    const run = await served.run("keyed.yaml", { api_key: SECRET, obj: { note: `use ${SECRET} here` } });
    const before = await runsOf("keyed.yaml");
    const here = await askAgain(run);
    const { page } = here;
    const key = inputIn(page, "api_key");
    await expect.poll(() => key.inputValue()).toBe("");
    expect(await key.getAttribute("aria-required")).toBe("true");
    expect(await key.getAttribute("type")).toBe("password");
    await seen(page, "The value that the run had is a secret and is not shown: write it in again.");
    await start(page);
    await page.getByRole("alert").getByText("api_key was a secret").waitFor();
    await key.fill(OTHER);
    await start(page);
    await page.getByRole("alert").getByText("spare was a secret").waitFor();
    await page.getByRole("button", { name: "Leave it out" }).click();
    await start(page);
    await page.getByRole("alert").getByText("A secret stood in obj where it says <redacted>").waitFor();
    expect(await runsOf("keyed.yaml")).toBe(before);
    await inputIn(page, "obj").fill('{ "note": "use the other" }');
    await start(page);
    const again = await startedFrom(page, run);
    expect((await inputsOf(again))["obj"]).toEqual({ note: "use the other" });
    const { body } = await served.get(`/api/runs/${again}/result`);
    expect(body.output).toEqual({ size: String(OTHER.length) });
    quiet(here);
  });

  it("keeps no secret in the browser", async () => {
    const { page } = await visit(served, "/workflows/keyed.yaml");
    await inputIn(page, "api_key").fill(SECRET);
    await inputIn(page, "obj").fill('{ "a": 1 }');
    const kept = (): Promise<string> => page.evaluate("JSON.stringify({ ...localStorage })");
    await expect.poll(kept).toContain("obj");
    expect(await kept()).not.toContain(SECRET);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a long text and a long list", { text: `${"long ".repeat(4000)}end`, list: Array(5000).fill("item") }],
    ["a text with line breaks", { text: "one\ntwo\n\nfour", list: [] }],
    ["an empty text, not its default", { text: "", list: [] }],
  ])("has %s as it was", async (_, inputs) => {
    const run = await served.run("texts.yaml", inputs);
    const here = await askAgain(run);
    const { page } = here;
    await expect.poll(() => inputIn(page, "text").inputValue()).toBe(inputs["text"]);
    await start(page);
    expect(await inputsOf(await startedFrom(page, run))).toEqual(inputs);
    quiet(here);
  });

  it("says so in place of a form when a long value cannot be had, and starts nothing", async () => {
    const run = await served.run("texts.yaml", { text: "x".repeat(20_000) });
    const { page } = await visit(served, "/workflows/texts.yaml");
    await page.route("**/api/blobs/**", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto(`${served.url}/workflows/texts.yaml?like=${run}`);
    await seen(page, /^The inputs of that run: /);
    expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
    await page.unroute("**/api/blobs/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(async () => (await inputIn(page, "text").inputValue()).length).toBe(20_000);
  });

  it("says so when the run is gone, and leads to a form without it", async () => {
    const { page } = await visit(served, "/workflows/texts.yaml?like=20200101-000000-none-0000");
    await seen(page, /^The inputs of that run: /);
    expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
    await page.getByRole("link", { name: "Start with other inputs" }).click();
    await expect.poll(() => inputIn(page, "text").inputValue()).toBe("preset");
  });

  it("has the inputs of a file that declares none", async () => {
    const run = await served.run("any.yaml", { place: "here", times: 3 });
    const { page } = await askAgain(run);
    await expect.poll(() => inputIn(page, "place").inputValue()).toBe("here");
    await inputIn(page, "place").fill("there");
    await start(page);
    expect(await inputsOf(await startedFrom(page, run))).toEqual({ place: "there", times: 3 });
  });
});

describe.skipIf(isWithoutBrowser)("in the form of a workflow", () => {
  it("Enter starts from a text of one line, and is a line break in one of several", async () => {
    const { page } = await visit(served, "/workflows/texts.yaml");
    const text = inputIn(page, "text");
    await expect.poll(() => text.inputValue()).toBe("preset");
    await text.fill("one");
    await text.press("Shift+Enter");
    await text.pressSequentially("two");
    await text.press("Enter");
    await text.pressSequentially("three");
    await expect.poll(() => text.inputValue()).toBe("one\ntwo\nthree");
    await text.press("Control+Enter");
    const first = await startedFrom(page);
    expect((await inputsOf(first))["text"]).toBe("one\ntwo\nthree");
    await page.goto(`${served.url}/workflows/texts.yaml`);
    await inputIn(page, "text").fill("single");
    await inputIn(page, "text").press("Enter");
    expect((await inputsOf(await startedFrom(page, first)))["text"]).toBe("single");
  });

  it("a start that the server refused is corrected and sent again", async () => {
    const { page } = await visit(served, "/workflows/texts.yaml");
    await inputIn(page, "list").fill('{ "no": "list" }');
    await start(page);
    await page.getByRole("alert").getByText("must be an array").waitFor();
    await inputIn(page, "list").fill("[1]");
    await start(page);
    expect((await inputsOf(await startedFrom(page)))["list"]).toEqual([1]);
  });

  it("a secret of several lines is pasted with its lines", async () => {
    const { page } = await visit(served, "/workflows/keyed.yaml");
    const key = inputIn(page, "api_key");
    await key.waitFor();
    await page.evaluate(PASTE);
    await expect.poll(() => key.inputValue()).toBe("first line\nsecond line");
    await expect
      .poll(() => page.evaluate("getComputedStyle(document.querySelector('form .line')).webkitTextSecurity"))
      .toBe("disc");
    await start(page);
    const run = await startedFrom(page);
    const { body } = await served.get(`/api/runs/${run}/result`);
    expect(body.output).toEqual({ size: "22" });
  });
});
