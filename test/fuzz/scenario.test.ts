// Scenario files: each is run, on the real engine, against a workflow that does nothing to anybody.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { testScenarios } from "../../src/features/scenarios/test.ts";
import { fuzz, textsLike } from "./door.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-fuzz-scenario-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, "main.yaml"),
  `workflow: { name: main, entry_point: load, input: { day: { type: string, required: false } } }
agents:
  - { name: load, type: script, command: "true", raises: [own.locked], routes: [{ to: ask }, { on_error: own.locked, retry: { max: 2 } }] }
  - { name: ask, type: human_gate, prompt: "Go?", options: [{ label: Y, value: "yes", route: done }] }
  - { name: done, type: set, value: fine, routes: [{ to: $end }] }
`,
);
const SCENARIO = `workflow: main.yaml
name: locked
inputs: { day: monday }
cli_scripts:
  - { step: load, times: 1, error: { kind: own.locked, message: locked, details: { by: backup } } }
  - { step: load, stdout: { rows: 1 }, takes_seconds: 3 }
gates: { ask: "yes" }
inject: [{ step: done, attempt: 1, error: { kind: internal.timeout, message: late } }]
expected_trace:
  agents_executed: [load, load, ask]
  waits_seconds: 1
  status: failed
`;

fuzz({
  name: "a scenario file",
  costs: 10,
  inputs: textsLike(SCENARIO),
  enter(text) {
    writeFileSync(join(folder, "one.scenario.yaml"), text);
    return testScenarios({ cwd: folder, env: { PATH: process.env.PATH } }, { paths: ["one.scenario.yaml"] });
  },
});
