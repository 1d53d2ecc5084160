import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runWorkflow } from "../../services/runs/run.ts";
import { listRuns } from "../../services/runs/runs.ts";
import { namedAfterThisProcess } from "../../steps/process/private-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-shims-test-"));
  mkdirSync(join(folder, "tmp"), { mode: 0o700 });
  vi.stubEnv("TMPDIR", join(folder, "tmp"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const WORKFLOW = `
workflow: { name: w, entry_point: a, input: { n: { type: number } } }
agents:
  - { name: a, type: script, command: sh, args: [-c, "deploy {{ workflow.input.n }}"] }
output: { said: "{{ a.output.stdout }}" }
`;
const SCENARIO = `
workflow: main.yaml
strict: false
cli_scripts: [{ command: deploy, stdout: scripted }]
`;

function run(inputs: Record<string, { value: unknown }>) {
  writeFileSync(join(folder, "main.yaml"), WORKFLOW);
  writeFileSync(join(folder, "s.yaml"), SCENARIO);
  const session = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, home: join(folder, "home") };
  return { session, result: runWorkflow(session, { file: "main.yaml", scenario: "s.yaml", inputs }) };
}

const left = (): readonly string[] =>
  readdirSync(join(folder, "tmp")).filter((name) => name.startsWith("segno-shims-"));

it("replaces a command that a real script calls, and leaves nothing behind", async () => {
  expect(await run({ n: { value: 1 } }).result).toMatchObject({ status: "completed", output: { said: "scripted" } });
  expect(left()).toEqual([]);
});

it("leaves nothing in the temporary folder when the drive cannot be set up", async () => {
  const { session, result } = run({ n: { value: "many" } });
  expect(await result).toMatchObject({ exit_code: 2 });
  expect((await listRuns(session, {})).runs).toEqual([]);
  expect(left()).toEqual([]);
});

it("removes what a killed process left", async () => {
  const killed = namedAfterThisProcess("segno-shims-").replace(`-${process.pid}-`, "-4194303-");
  mkdirSync(join(folder, "tmp", `${killed}a1`), { mode: 0o700 });
  await run({ n: { value: 1 } }).result;
  expect(existsSync(join(folder, "tmp", `${killed}a1`))).toBe(false);
});
