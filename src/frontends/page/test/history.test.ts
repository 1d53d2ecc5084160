// What recorded runs prove, on the page: a test made of a run, a file against its last runs, and evals.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runEval } from "../../../features/evals/run-eval.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const flow = (route: string): string => `
workflow:
  name: build
  entry_point: fetch
  input: { mode: { type: string, default: fine } }
agents:
  - name: fetch
    type: script
    command: sh
    args: ["-c", "test {{ workflow.input.mode }} = fine && echo ok && exit; echo '{\\"kind\\":\\"io.gone\\",\\"message\\":\\"it is gone\\"}' > $SEGNO_ERROR_OUT; exit 1"]
    raises: [io.gone]
    routes: [{ to: done }${route}]
  - { name: done, type: set, value: "finished" }
output: { label: "{{ done.output }}" }
`;
const ASKS = `
workflow: { name: asks, entry_point: label, input: { ticket: { type: string } }, runtime: { provider: openai } }
agents: [{ name: label, type: agent, prompt: "Label {{ workflow.input.ticket }}", output: { label: { type: string } } }]
output: { label: "{{ label.output.label }}" }
`;
const EVAL = `
workflow: asks.yaml
scenario: asks.scenario.yaml
dataset: tickets.jsonl
variants: [{ name: today }, { name: small, set: { runtime.default_model: small } }]
grade: [{ equals: "{{ expected.label }}", value: "{{ output.label }}" }]
`;
const SCENARIO = `
workflow: asks.yaml
agent_scripts: { label: [{ content: { label: refund } }] }
`;
const DATASET = `{"id":"t1","inputs":{"ticket":"money back"},"expected":{"label":"refund"}}
{"id":"t2","inputs":{"ticket":"it is late"},"expected":{"label":"delay"}}
`;

let served: Served;
let failed: string;
beforeAll(async () => {
  served = await Served.start({
    "build.yaml": flow(""),
    "asks.yaml": ASKS,
    "asks.eval.yaml": EVAL,
    "asks.scenario.yaml": SCENARIO,
    "tickets.jsonl": DATASET,
  });
  await served.run("build.yaml");
  await served.run("build.yaml");
  failed = await served.run("build.yaml", { mode: "broken" });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

describe.skipIf(isWithoutBrowser)("recorded runs", () => {
  it("become a test, which is written beside the workflow, played and shown", async () => {
    const here = await visit(served, `/runs/${failed}`);
    const { page } = here;
    await page.locator(".banner").getByRole("button", { name: "Make a test" }).click();
    const dialog = page.getByRole("dialog", { name: "Make a test of this run" });
    await dialog.getByRole("button", { name: "Make the test" }).click();
    await dialog.getByText("passes", { exact: true }).waitFor();
    const file = await dialog.getByRole("status").locator("code").innerText();
    expect(file).toMatch(/^tests\/build-failed-\w+\.scenario\.yaml$/);
    const written = readFileSync(join(served.root, file), "utf8");
    const shown = await dialog.locator(".yaml-line > span:last-child").allInnerTexts();
    expect(shown.join("\n").trim()).toBe(written.trim());
    expect(written).toContain("io.gone");
    await dialog.getByRole("button", { name: "Copy the scenario" }).waitFor();
    quiet(here);
  });

  it("say what an edit would have done to them, and which line did it", async () => {
    served.write("build.yaml", flow(", { on_error: io.gone, to: done }"));
    const here = await visit(served, "/workflows/build.yaml");
    const { page } = here;
    await page.getByRole("tab", { name: "Against the last 100 runs" }).click();
    await seen(page, "2 same");
    const row = page.locator("table.lined tbody tr").filter({ hasText: "1 better" });
    await row.getByText("failed with io.gone, now completed").waitFor();
    expect(await row.getByRole("link").first().getAttribute("href")).toMatch(
      /^\/workflows\/build\.yaml\?view=yaml&line=\d+$/,
    );
    expect(await row.getByRole("link").last().getAttribute("href")).toBe(`/runs/${failed}`);
    quiet(here);
  });
});

describe.skipIf(isWithoutBrowser)("the figures of a workflow", () => {
  it("say how its runs ended, and the same of each step", async () => {
    const here = await visit(served, "/workflows/build.yaml?view=figures");
    const figures = here.page.getByRole("region", { name: "Figures of build" });
    await figures.getByText("3 runs").waitFor();
    await figures.getByText(/^1 failed \(33/).waitFor();
    await figures.locator("table.lined tbody tr").filter({ hasText: "io.gone 1" }).first().waitFor();
    quiet(here);
  });
});

describe.skipIf(isWithoutBrowser)("evals", () => {
  it("are said to be none, then listed, and one shows its rows with their runs", async () => {
    const here = await visit(served, "/evals");
    const { page } = here;
    await seen(page, "No eval yet");
    const { rows, eval_id } = await runEval(served.session, { path: "asks.eval.yaml" });
    await page.reload();
    await seen(page, "finished");
    await page.getByRole("link", { name: "asks", exact: true }).click();
    await page.waitForURL(new RegExp(`/evals/${eval_id}$`));
    await seen(page, /^50 % \(\d/);
    const second = page.locator("table.lined tbody tr").filter({ hasText: "t2" });
    await second.getByText("failed").first().waitFor();
    const links = await second.getByRole("link").all();
    const own = rows.filter(({ id }) => id === "t2").map(({ run_id }) => `/runs/${run_id}`);
    expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual(own);
    await second.getByRole("link").first().click();
    await page.waitForSelector(".banner.is-completed");
    quiet(here);
  });
});

it("an eval that is not there is not found", async () => {
  const { status, body } = await served.get("/api/evals/01ARZ3NDEKTSV4RRFFQ69G5FAV");
  expect([status, body.code]).toEqual([404, "not_found"]);
});

it("a server that only shows writes no test", async () => {
  const reader = await Served.start({ "build.yaml": flow("") }, { readOnly: true });
  try {
    const run = await reader.run("build.yaml");
    const { status, body } = await reader.post(`/api/runs/${run}/record`, {});
    expect([status, body.code]).toEqual([403, "read_only"]);
  } finally {
    await reader.close();
  }
});
