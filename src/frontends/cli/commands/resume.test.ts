// `segno resume` on the command line: which run, and with which file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commandLine } from "../../../../test/support/command-line.ts";

const flow = (value: string, name = "flow"): string =>
  `workflow: { name: ${name}, entry_point: a }\nsteps:\n  - { name: a, type: set, value: "${value}" }\n`;

async function failedRun() {
  const cwd = mkdtempSync(join(tmpdir(), "segno-resume-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const call = (...args: string[]) => commandLine(args, { cwd, env: { HOME: cwd, SEGNO_HOME: join(cwd, "home") } });
  writeFileSync(join(cwd, "flow.yaml"), flow("{{ workflow.input.x.y }}"));
  const { stdout } = await call("run", "flow.yaml", "--output-format", "json");
  return { cwd, call, run: JSON.parse(stdout).run_id as string };
}

it("goes on with an edited copy of the file", async () => {
  const { cwd, call, run } = await failedRun();
  writeFileSync(join(cwd, "copy.yaml"), flow("{{ 1 + 1 }}"));
  const { code, stdout } = await call("resume", run, "copy.yaml", "--output-format", "json");
  expect({ code, result: JSON.parse(stdout) }).toMatchObject({ code: 0, result: { run_id: run, file: "copy.yaml" } });
});

it("refuses the file of another workflow", async () => {
  const { cwd, call, run } = await failedRun();
  writeFileSync(join(cwd, "other.yaml"), flow("{{ 1 + 1 }}", "other"));
  const { code, stdout, stderr } = await call("resume", run, "other.yaml");
  expect(code).toBe(2);
  expect(stdout + stderr).toContain(`other.yaml is the workflow other, and the run ${run} is of flow (flow.yaml)`);
});
