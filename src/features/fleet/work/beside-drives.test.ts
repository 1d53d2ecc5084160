// What a worker does beside its drives, when it is told to leave.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { runEvents } from "../../../services/runs/runs.ts";
import { storeFor } from "../../../services/session/store.ts";
import { realClock } from "../../../storage/clock.ts";
import type { WorkerHost } from "../postgres/worker-host.ts";
import { Drives } from "./drives.ts";
import { takeUpBeside } from "./worker.ts";
import { workerSettings } from "./workers.ts";

const ASKS = `
workflow: { name: asks, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: go?
    remind: 60
    notify: { command: sh, args: [-c, "test -e asked || { touch asked; exit; }; touch begun; until test -e go; do sleep 0.05; done; echo ended >> told"] }
    options: [{ label: Go, value: go, route: $end }]
`;

test("a reminder that is being sent is let end", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-leaving-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const file = join(cwd, "asks.yaml");
  writeFileSync(file, ASKS);
  const here = { cwd, env: { PATH: process.env.PATH ?? "" }, home: join(cwd, "home") };
  const { run_id } = await runWorkflow(here, { file, inputs: {} });
  const store = await storeFor(here);
  onTestFinished(() => store.close());
  const beside = await takeUpBeside(
    here,
    { said: () => {}, clock: { ...realClock, now: () => Date.now() + 3_600_000 } },
    { worker: store, all: store },
    new Drives({} as WorkerHost, workerSettings({}), here, () => {}),
  );
  await until(() => existsSync(join(cwd, "begun")));
  const closed = beside.close();
  writeFileSync(join(cwd, "go"), "");
  await closed;
  expect(readFileSync(join(cwd, "told"), "utf8")).toBe("ended\n");
  const notices: unknown[] = [];
  for await (const { type, data } of runEvents(here, { run: run_id ?? "" }))
    if (type === "gate_notified") notices.push([data.reminder, data.ok]);
  expect(notices).toEqual([
    [0, true],
    [1, true],
  ]);
});
