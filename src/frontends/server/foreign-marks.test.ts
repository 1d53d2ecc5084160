// Inputs that look like Segno's own marks for secrets, for values kept outside and for long values: whoever sends them gets
// them back as they are, and no list is lost with their run.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { answerGate, listGates } from "../../services/gates/gates.ts";
import { cancelRun } from "../../services/runs/cancel.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { showRun } from "../../services/runs/runs.ts";

const ASKS = `
workflow: { name: asks, entry_point: ask, input: { given: { type: object } } }
agents:
  - { name: ask, type: human_gate, prompt: "Go on?", options: [{ value: "yes", route: $end }] }
output: { given: "{{ workflow.input.given }}" }
`;
const KEEPS = `
workflow: { name: keeps, entry_point: ask, input: { token: { type: string, secret: true } } }
agents:
  - { name: ask, type: human_gate, prompt: "Keep on?", options: [{ value: "yes", route: $end }] }
`;
const HASH = "0".repeat(64);

let page: Served;
afterEach(() => page.close());

describe.each([
  ["a secret, by the input's own name", { $secret: "given" }],
  ["a secret, by another name", { $secret: "other" }],
  ["a value kept outside", { $blob: `sha256:${HASH}` }],
  ["a wrapped value", { $blob: "inline", value: { $blob: `sha256:${HASH}` } }],
  ["a long value", { $big: `sha256:${HASH}`, bytes: 3, preview: "abc" }],
  ["a long value deep inside", { list: [{ $big: `sha256:${HASH}`, bytes: 3, preview: "abc" }] }],
])("an input that looks like %s", (_, given) => {
  it("is shown, resumed, answered and given out as it came", async () => {
    page = await Served.start({ "asks.yaml": ASKS });
    const where = page.session;
    const run = await page.run("asks.yaml", { given });
    expect(await showRun(where, { run })).toMatchObject({ status: "paused" });
    expect((await listGates(where)).gates).toHaveLength(1);
    expect((await page.get("/api/gates")).body).toMatchObject({ gates: [{ run_id: run }], left_out: [] });
    expect((await page.get(`/api/runs/${run}`)).status).toBe(200);
    expect(await resumeRun(where, { target: run, inputs: {} })).toMatchObject({ status: "paused" });
    const answered = await answerGate(where, { run, value: "yes", inputs: {} });
    expect(answered).toMatchObject({ status: "completed", output: { given } });
  });

  it("can be cancelled", async () => {
    page = await Served.start({ "asks.yaml": ASKS });
    const run = await page.run("asks.yaml", { given });
    expect(await cancelRun(page.session, { run })).toMatchObject({ status: "cancelled" });
  });
});

it("a value that looks like a long one is sent as one, and the whole is what was given", async () => {
  page = await Served.start({ "asks.yaml": ASKS });
  const given = { list: [{ $big: `sha256:${HASH}`, bytes: 3, preview: "abc" }] };
  const run = await page.run("asks.yaml", { given });
  const { body } = await page.get(`/api/runs/${run}/events`);
  const mark = body.events[0].data.inputs.given;
  expect(mark).toEqual({
    $big: expect.stringMatching(/^sha256:/),
    bytes: expect.any(Number),
    preview: expect.any(String),
  });
  expect((await page.get(`/api/blobs/${mark.$big}?run=${run}`)).body).toEqual(given);
});

it("a run that cannot be read takes no other out of the lists, and is named", async () => {
  page = await Served.start({ "asks.yaml": ASKS, "keeps.yaml": KEEPS });
  const lost = await page.run("keeps.yaml", { token: "hunter2-hunter2" });
  const other = await page.run("asks.yaml", { given: {} });
  rmSync(join(page.home, "runs", lost, "secrets.json"));
  const { body } = await page.get("/api/gates");
  expect(body.gates.map(({ run_id }: { run_id: string }) => run_id)).toEqual([other]);
  expect(body.left_out).toEqual([expect.stringContaining(lost)]);
  const said: string[] = [];
  const listed = await listGates({ ...page.session, leftOut: (text) => said.push(text) });
  expect(listed).toMatchObject({ success: true });
  expect(listed.gates.map(({ run_id }) => run_id)).toContain(other);
  expect(JSON.stringify(listed)).not.toContain("hunter2");
});
