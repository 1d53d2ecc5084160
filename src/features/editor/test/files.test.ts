// Scenarios, evals, datasets and projects in the editor: what `validate` says of them, on text that is not saved; what the last
// run gave; and names that are changed in all of them at once.
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import * as lsp from "vscode-languageserver/node";
import { runWorkflow } from "../../../services/runs/run.ts";
import { checkOtherFile } from "../../../services/workflows/check-other-file.ts";
import { validateFiles } from "../../../services/workflows/validate.ts";
import { TRACE_MODES } from "../../evals/eval-file.ts";
import { Client, edited, MARK, positionAt } from "./client.ts";

let client: Client;
afterEach(() => client?.end());

const FLOW = `workflow:
  name: triage
  entry_point: label
  input:
    ticket: { type: string }
agents:
  - { name: label, type: script, command: ./label.sh, args: ["{{ workflow.input.ticket }}"], raises: [label.failed], routes: [{ to: done }] }
  - { name: done, type: set, value: "{{ label.output.stdout }}" }
output: { label: "{{ done.output }}" }
`;
const SCENARIO = `workflow: flow.yaml
set: { label.command: ./other.sh }
inputs: { ticket: money back }
cli_scripts: [{ step: label, stdout: refund }]
expected_trace: { agents_executed: [label, done] }
`;
const EVAL = `workflow: flow.yaml
scenario: ok.scenario.yaml
dataset: rows.jsonl
live: [label]
variants: [{ name: today }, { name: other, set: { label.command: ./other.sh } }]
grade:
  - { equals: "{{ expected }}", value: "{{ output.label }}" }
  - { trace: [label, done], mode: subsequence }
`;
const ROWS = '{"id":"1","inputs":{"ticket":"a"},"expected":"refund"}\n';
const FILES = { "flow.yaml": FLOW, "ok.scenario.yaml": SCENARIO, "ok.eval.yaml": EVAL, "rows.jsonl": ROWS };

/** As `segno validate` has it: file, rule, beginning, end, sentence. */
function validated(name: string): readonly string[] {
  const { errors, warnings } = validateFiles(
    { cwd: client.folder, env: {} },
    { files: [name], checkOther: checkOtherFile },
  );
  return [...errors, ...warnings]
    .map(({ rule, message, location }) => JSON.stringify([rule, location, message]))
    .sort();
}

/** What the editor has of all files after this one was opened. */
async function shown(name: string, text: string): Promise<readonly string[]> {
  await client.open(name, text);
  await client.pass(150);
  const found = [...client.diagnostics].flatMap(([uri, all]) =>
    all.map(({ code, message, range: { start, end } }) => {
      const place = { file: uri.split("/").at(-1), line: start.line + 1, column: start.character + 1 };
      return JSON.stringify([code, { ...place, end: { line: end.line + 1, column: end.character + 1 } }, message]);
    }),
  );
  await client.close(name);
  return found.sort();
}

describe("diagnostics of files that are no workflows", () => {
  it.each([
    ["ok.scenario.yaml", SCENARIO, 0],
    ["ok.scenario.yaml", SCENARIO.replace("step: label", "step: lable"), 1],
    ["ok.scenario.yaml", SCENARIO.replace("cli_scripts", "cli_script"), 1],
    ["ok.scenario.yaml", SCENARIO.replace("flow.yaml", "none.yaml"), 1],
    ["ok.scenario.yaml", SCENARIO.replace("{ ticket: money back }", "{ ticket: ["), 1],
    ["ok.eval.yaml", EVAL, 0],
    ["ok.eval.yaml", EVAL.replace("live: [label]", "live: [lable]"), 1],
    ["ok.eval.yaml", EVAL.replace("equals:", "equls:"), 1],
    ["ok.eval.yaml", EVAL.replace("output.label", "ouput.label"), 1],
    ["ok.eval.yaml", EVAL.replace("label.command", "lable.command"), 1],
    ["ok.eval.yaml", EVAL.replace("rows.jsonl", "none.jsonl"), 1],
    ["ok.eval.yaml", EVAL.replace("ok.scenario.yaml", "none.scenario.yaml"), 1],
    ["ok.eval.yaml", EVAL.replace("workflow: flow.yaml", "workflow: none.yaml"), 1],
    ["eval.yaml", EVAL.replace("dataset: rows.jsonl\n", ""), 1],
    ["segno.yaml", "workfows: []\n", 1],
    ["segno.yaml", "triggers: [{ name: t, workflow: none.yaml, schedule: '@daily' }]\n", 1],
  ])("are those of validate, with their ends: %s %#", async (name, text, least) => {
    client = await Client.start(FILES);
    const unsaved = await shown(name, text);
    client.write(name, text);
    expect(unsaved).toEqual(validated(name));
    expect(unsaved.length >= least && (least > 0 || unsaved.length === 0)).toBe(true);
  });

  it("stand in the dataset as well, and go when the workflow is changed", async () => {
    client = await Client.start({ ...FILES, "rows.jsonl": `${ROWS}{"id":"2","inputs":{"tickt":"b"}}\n` });
    await client.open("ok.eval.yaml", EVAL);
    expect((await client.found("rows.jsonl")).map(({ range }) => range.start.line)).toEqual([1, 1]);
    await client.open("flow.yaml", FLOW);
    await client.type("flow.yaml", FLOW.replaceAll("ticket", "tickt"));
    await client.pass(300);
    expect((await client.found("rows.jsonl")).map(({ range }) => range.start.line)).toEqual([0, 0]);
  });
});

it("hover shows the value of the last run, redacted", async () => {
  const text = `workflow: { name: w, entry_point: a, input: { token: { type: string, secret: true } } }
agents:
  - { name: a, type: set, value: { said: hello, key: "{{ workflow.input.token }}" }, routes: [{ to: b }] }
  - { name: b, type: set, value: "{{ a.output.said }} {{ a.output.key }}" }
`;
  client = await Client.start({ "w.yaml": text });
  const { folder: cwd } = client;
  const inputs = { token: { value: "hunter2-hunter2-hunter2" } };
  await runWorkflow({ cwd, env: { SEGNO_HOME: join(cwd, ".home") } }, { file: "w.yaml", inputs });
  expect(await client.hover("w.yaml", text.replace("a.output.said", `a.output.sa${MARK}id`))).toContain("hello");
  const again = text.replace("hello", "good evening");
  client.write("w.yaml", again);
  await runWorkflow({ cwd, env: { SEGNO_HOME: join(cwd, ".home") } }, { file: "w.yaml", inputs });
  expect(await client.hover("w.yaml", again.replace("a.output.said", `a.output.sa${MARK}id`))).toContain(
    "good evening",
  );
  const secret = await client.hover("w.yaml", text.replace("a.output.key", `a.output.ke${MARK}y`));
  expect(secret).toMatch(/redacted/);
  expect(secret).not.toContain("hunter2");
});

it("a kind that only a route names can be declared", async () => {
  const text = FLOW.replace("routes: [{ to: done }]", "routes: [{ on_error: label.unknown, to: done }, { to: done }]");
  client = await Client.start(FILES);
  await client.open("flow.yaml", text);
  await client.found("flow.yaml");
  const at = positionAt(text, text.indexOf("label.unknown"));
  const declare = (await client.actions("flow.yaml", { start: at, end: at })).find(
    ({ title }) => title === "Declare label.unknown",
  );
  const after = edited(text, declare?.edit?.changes?.[client.uri("flow.yaml")] ?? []);
  expect(after).toContain("raises: [label.failed, label.unknown]");
});

it("rename changes a step in its workflow, scenarios and evals, and leaves each of them valid", async () => {
  client = await Client.start(FILES);
  const params = await client.at("flow.yaml", FLOW.replace("name: label,", `name: la${MARK}bel,`));
  const request = { ...params, newName: "classify" };
  const { changes = {} } = (await client.connection.sendRequest(lsp.RenameRequest.type, request)) ?? {};
  for (const [name, text] of Object.entries(FILES)) client.write(name, edited(text, changes[client.uri(name)] ?? []));
  for (const name of ["flow.yaml", "ok.scenario.yaml", "ok.eval.yaml"]) {
    expect(changes[client.uri(name)]?.length).toBeGreaterThan(0);
    expect(validated(name).filter((one) => !one.includes("error-unhandled"))).toEqual([]);
  }
});

it("rename changes an input in the rows of a dataset as well", async () => {
  const table = "id,ticket,expected\n1,a ticket,refund\n";
  const list = '[{ "id": "1", "inputs": { "ticket": "ticket" }, "expected": { "ticket": 1 } }]';
  const files = {
    ...FILES,
    "rows.csv": table,
    "rows.json": list,
    "table.eval.yaml": EVAL.replace("rows.jsonl", "rows.csv"),
    "list.eval.yaml": EVAL.replace("rows.jsonl", "rows.json"),
  };
  client = await Client.start(files);
  const params = await client.at("flow.yaml", FLOW.replace("    ticket:", `    tic${MARK}ket:`));
  const request = { ...params, newName: "letter" };
  const { changes = {} } = (await client.connection.sendRequest(lsp.RenameRequest.type, request)) ?? {};
  const after = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, edited(text, changes[client.uri(name)] ?? [])]),
  );
  for (const [name, text] of Object.entries(after)) client.write(name, text);
  expect(after["rows.jsonl"]).toBe(ROWS.replace('"ticket"', '"letter"'));
  expect(after["rows.csv"]).toBe(table.replace("id,ticket", "id,letter"));
  expect(after["rows.json"]).toBe(list.replace('"ticket":', '"letter":'));
  for (const name of ["ok.eval.yaml", "table.eval.yaml", "list.eval.yaml", "ok.scenario.yaml"])
    expect(validated(name), name).toEqual([]);
});

it.each(["not", "in", "none", "workflow"])("rename refuses %s, which would leave the file broken", async (newName) => {
  client = await Client.start(FILES);
  const params = await client.at("flow.yaml", FLOW.replace("name: label,", `name: la${MARK}bel,`));
  await expect(client.connection.sendRequest(lsp.RenameRequest.type, { ...params, newName })).rejects.toThrow(newName);
});

it.each([
  ["ok.scenario.yaml", SCENARIO.replace("step: label", "step: labl")],
  ["ok.scenario.yaml", SCENARIO.replace("step: label", 'step: "labl"')],
  ["ok.scenario.yaml", SCENARIO.replace("cli_scripts:", "cli_script:")],
  ["ok.scenario.yaml", `${SCENARIO}agent_scripts: { labell: [{ content: x }] }\n`],
  ["ok.eval.yaml", EVAL.replace("live: [label]", "live: [labl]")],
])("a suggestion in a test is a quick fix: %s %#", async (name, text) => {
  client = await Client.start(FILES);
  await client.open(name, text);
  const [found] = await client.found(name);
  const range = found?.range ?? { start: positionAt(text, 0), end: positionAt(text, 0) };
  const [fix] = await client.actions(name, range);
  const after = edited(text, fix?.edit?.changes?.[client.uri(name)] ?? []);
  expect(after).not.toBe(text);
  await client.type(name, after);
  expect(await client.found(name)).toEqual([]);
});

it.each([
  [
    "fields",
    "live: [label]",
    `${MARK}\nlive: [label]`,
    ["name", "description", "step", "runs", "repeat", "budget_usd", "fail_under"],
  ],
  ["steps", "live: [label]", `live: [${MARK}]`, ["label", "done"]],
  ["scenarios", "scenario: ok.scenario.yaml", `scenario: ${MARK}`, ["./ok.scenario.yaml"]],
  ["datasets", "dataset: rows.jsonl", `dataset: ${MARK}`, ["./rows.jsonl"]],
  ["workflows", "workflow: flow.yaml", `workflow: ${MARK}`, ["./flow.yaml"]],
  ["modes of a trace", "mode: subsequence", `mode: ${MARK}`, TRACE_MODES],
])("offers %s in an eval, and nothing else", async (_, from, to, wanted) => {
  client = await Client.start(FILES);
  expect([...(await client.labels("ok.eval.yaml", EVAL.replace(from, to)))].sort()).toEqual([...wanted].sort());
});
