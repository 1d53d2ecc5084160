// A run that goes on, as `segno show` has it meanwhile.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { outline, Story } from "../../../test/support/engine/test-events.ts";
import { until } from "../../../test/support/until.ts";
import { newRunId } from "../../storage/run-index.ts";
import { readToShow } from "../reading/read-run.ts";
import { runWorkflow } from "./run.ts";
import { showRun } from "./runs.ts";

it("has lasted until now and not until its last event, and so have its steps, also those in groups and in other files", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-show-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  write(
    "held.yaml",
    `workflow: { name: held, entry_point: both }
agents:
  - { name: called, type: workflow, workflow: child.yaml }
  - { name: quick, type: set, value: 1 }
parallel:
  - { name: both, agents: [called, quick] }
`,
  );
  write(
    "child.yaml",
    `workflow: { name: child, entry_point: stay }
agents:
  - { name: stay, type: script, command: sh, args: [-c, 'echo > begun; until test -e go; do sleep 0.05; done'] }
`,
  );
  const session = { cwd, env: { PATH: process.env.PATH, HOME: cwd }, home: join(cwd, "home") };
  const runId = newRunId();
  const going = runWorkflow(session, { file: "held.yaml", inputs: {}, runId });
  const isThere = (name: string): boolean => {
    try {
      return readFileSync(join(cwd, name)) !== undefined;
    } catch {
      return false;
    }
  };
  await until(() => isThere("begun"));
  const LONG_MS = 500;
  const moment = Date.now() + LONG_MS;
  await until(() => Date.now() >= moment);
  const { status, execution } = await showRun(session, { run: runId });
  expect(status).toBe("running");
  const [both] = execution?.steps.filter(({ node_id }) => node_id === "both") ?? [];
  const called = both?.steps?.find(({ node_id }) => node_id === "called");
  const stay = called?.steps?.find(({ node_id }) => node_id === "stay");
  for (const took of [execution, both, called, stay].map((one) => one?.duration_ms))
    expect(took).toBeGreaterThanOrEqual(LONG_MS);
  expect(both?.steps?.find(({ node_id }) => node_id === "quick")?.status).toBe("completed");
  write("go", "");
  const ended = await going;
  expect(ended.status).toBe("completed");
  const shown = await showRun(session, { run: runId });
  expect(shown.execution).toEqual(ended.execution);
});

it("that ends and forgets its secrets while it is read is shown, without what they were", async () => {
  let isForgotten = false;
  const { events } = new Story().started(outline("a")).ran("a", { output: { said: "kept-secret-77" } });
  const [began, ...rest] = events;
  const reader = {
    runId: "01RUN",
    folder: "",
    hasLostSecrets: () => false,
    hasForgottenSecrets: () => isForgotten,
    seenSecrets: () => ({ secrets: [], shortSecrets: [] }),
    secrets: () => (isForgotten ? {} : { key: "kept-secret-77" }),
    *events() {
      if (began?.type === "workflow_started") yield { ...began, data: { ...began.data, hidden_inputs: ["key"] } };
      yield* rest;
      isForgotten = true;
    },
  };
  const seen: string[] = [];
  const redactor = await readToShow(reader, { env: {} }, (event) => seen.push(JSON.stringify(event)));
  expect(seen.join()).toContain("kept-secret-77");
  expect(redactor.text(seen.join())).not.toContain("kept-secret-77");
});
