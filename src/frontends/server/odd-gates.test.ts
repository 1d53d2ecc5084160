// Gates of items whose ids hold what can neither be typed nor put into an address: each is asked, named and answered.
import { expect, it, onTestFinished } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { until } from "../../../test/support/until.ts";
import { answerGate, listGates } from "../../services/gates/gates.ts";
import { runWorkflow } from "../../services/runs/run.ts";

const ASKS = `
workflow: { name: asks, entry_point: keys }
agents:
  - { name: keys, type: script, command: node, args: [keys.cjs], routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: keys.output.list
    as: one
    key_by: one.key
    agent:
      name: ask
      type: human_gate
      prompt: "Go on?"
      options: [{ label: "Yes", value: "yes", route: $end }]
    routes: [{ to: $end }]
`;
const IDS = ["lone\ud800sur", "lone\ud801sur", "zero\0", "C:\\u0041", "plain"];
/** As escapes of JSON: the script's stdout is UTF-8. */
const KEYS = `console.log(${JSON.stringify(JSON.stringify({ list: IDS.map((key) => ({ key })) }))})`;

it("a gate is named by what can be typed, for the command line and in an address", async () => {
  const page = await Served.start({ "asks.yaml": ASKS, "keys.cjs": KEYS });
  onTestFinished(() => page.close());
  const asked = { cwd: page.root, home: page.home, env: { PATH: process.env.PATH } };
  const { run_id } = await runWorkflow(asked, { file: "asks.yaml", inputs: {} });
  const run = run_id ?? "";
  const names = (await listGates(asked)).gates.map(({ name }) => name);
  expect(names.sort()).toEqual([
    ...["each[C:\\u005cu0041]", "each[lone\\ud800sur]", "each[lone\\ud801sur]", "each[plain]", "each[zero\\u0000]"],
  ]);
  const answered = (gate: string) => answerGate(asked, { run, gate, value: "yes", inputs: {} });
  expect(await answered("each[lone\\ud801sur]")).toMatchObject({ status: "paused" });
  expect(await answered("each[lone\\ud801sur]")).toMatchObject({
    error: expect.stringContaining("What waits: each[lone\\ud800sur]"),
  });
  // As it is in the file is understood, too.
  expect(await answered("each[C:\\u0041]")).toMatchObject({ status: "paused" });

  // The run goes on after each, and may ask the others anew meanwhile.
  for (const id of IDS.filter((one) => !["lone\ud801sur", "C:\\u0041"].includes(one)))
    await until(async () => {
      const gate = (await page.get("/api/gates")).body.gates.find(({ key }: { key: string }) => key.includes(id));
      const given = { seq: gate.seq, value: "yes" };
      return (await page.post(`/api/gates/${encodeURIComponent(gate.id)}`, given)).status === 200;
    });
  expect((await page.get("/api/gates")).body.gates).toEqual([]);
});
