// What an approver is shown before they say yes, wherever they look.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { answerRulesText } from "../../base/results/index.ts";
import { runWorkflow } from "../runs/run.ts";
import { listGates } from "./gates.ts";

const FLOW = `
workflow: { name: ship, entry_point: ask, input: { target: { type: string }, token: { type: string, secret: true } } }
agents:
  - name: ask
    type: human_gate
    prompt: Ship?
    timeout: 2h
    approvers: [alex@box, sam@box]
    four_eyes: true
    options: [{ value: go, route: $end }]
`;

it("shows what the run was given, whose answer counts, whose does not and until when", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-gates-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "ship.yaml"), FLOW);
  const where = { cwd, env: {}, home: join(cwd, "home") };
  const inputs = { target: { value: "p".repeat(200) }, token: { value: "hunter2hunter2" } };
  await runWorkflow(where, { file: "ship.yaml", inputs, origin: { startedBy: "sam@box" } });
  const { gates } = await listGates(where);
  expect(gates).toMatchObject([
    {
      workflow: "ship",
      inputs: { target: `${"p".repeat(79)}…`, token: "<redacted>" },
      approvers: ["alex@box", "sam@box"],
      four_eyes: true,
      not_by: ["sam@box"],
      deadline: expect.any(String),
    },
  ]);
  expect(JSON.stringify(gates)).not.toContain("hunter2");
  expect(answerRulesText(gates[0] ?? {})).toMatch(
    /^only alex@box, sam@box may answer; not sam@box, who started or changed the run \(four_eyes\); until \d{4}-/,
  );
});
