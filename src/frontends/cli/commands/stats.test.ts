// `segno stats` and the names of runs, as they stand in a terminal.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandLine } from "../../../../test/support/command-line.ts";

const FLOW = `
workflow: { name: flow, entry_point: a, run_name: "for {{ workflow.input.customer }}", input: { customer: { type: string } } }
steps:
  - { name: a, type: script, command: "{{ workflow.input.customer }}", raises: [], routes: [{ to: b }] }
  - { name: b, type: set, value: 1 }
`;

let cwd: string;
const segno = (...args: string[]) =>
  commandLine(args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, SEGNO_HOME: join(cwd, "home") } });

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "segno-stats-"));
  writeFileSync(join(cwd, "flow.yaml"), FLOW);
  for (const customer of ["true", "false"]) await segno("run", "flow.yaml", "-i", `customer=${customer}`);
});
afterAll(() => rmSync(cwd, { recursive: true }));

it("says how runs ended, with the steps below", async () => {
  const { stdout, code } = await segno("stats", "flow.yaml");
  expect(code).toBe(0);
  expect(stdout).toMatch(/flow {2}flow\.yaml/);
  expect(stdout).toMatch(/2 runs +1 completed \(50 %\), 1 failed \(50 %\)/);
  expect(stdout).toMatch(/errors +internal\.script_error 1/);
  expect(stdout).toMatch(/STEP +RUNS +FAILED +P50 +P90/);
  expect(stdout).toMatch(/ a +2 +1 .*internal\.script_error 1/);
  expect(stdout).toMatch(/ b +1 +0 /);
});

it("says when nothing has ended, or what it cannot filter by", async () => {
  expect((await segno("stats", "flow.yaml", "--input", "customer=nobody")).stdout).toMatch(
    /^No run has ended since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/m,
  );
  expect(await segno("stats", "--input", "customer")).toMatchObject({ code: 2 });
  expect((await segno("stats", "--status", "running")).stderr).toContain("completed, degraded, terminated, failed");
  expect((await segno("stats", "--since", "soon")).stderr).toContain('"soon" is no time');
});

it("says of `forecast` what to use instead", async () => {
  const { code, stderr } = await segno("forecast", "flow.yaml");
  expect(code).toBe(2);
  expect(stderr).toContain('There is no command "forecast" any more. "segno stats FILE"');
});

it("shows names of runs in the list, which inputs filter", async () => {
  const listed = (await segno("runs")).stdout;
  expect(listed).toMatch(/NAME/);
  expect(listed).toMatch(/flow +for false +failed/);
  const found = (await segno("runs", "--input", "customer=true")).stdout;
  expect(found).toContain("for true");
  expect(found).not.toContain("for false");
  expect((await segno("runs", "--input", "customer=other")).stdout).toMatch(/^No runs\./);
});

it("shows the name of a run that is started with one, and refuses one of two lines", async () => {
  const { stderr } = await segno("run", "flow.yaml", "-i", "customer=true", "--name", "by hand");
  expect(stderr).toMatch(/✓ flow "by hand" completed/);
  const refused = await segno("run", "flow.yaml", "-i", "customer=true", "--name", "two\nlines");
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--name one line of at most 200 characters"),
  });
});
