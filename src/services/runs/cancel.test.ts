// Cancelling again, and a resume that is given the file of another workflow.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cancelRun } from "./cancel.ts";
import { resumeRun } from "./resume.ts";
import { runWorkflow } from "./run.ts";
import { showRun } from "./runs.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-cancel-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const session = () => ({ cwd, env: { PATH: process.env.PATH, HOME: cwd }, home: join(cwd, "home") });
const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const run = (file: string) => runWorkflow(session(), { file, inputs: {} });
const resume = (target: string, file?: string) =>
  resumeRun(session(), { target, inputs: {}, ...(file === undefined ? {} : { file }) });

const GATE = `workflow: { name: ask, entry_point: a }
steps: [{ name: a, type: human_gate, prompt: Go?, options: [{ label: Yes, value: go, route: $end }] }]
`;
const FAILS = `workflow: { name: fails, entry_point: a }
steps: [{ name: a, type: set, value: "{{ 1 / 0 }}" }]
`;
const WORKS = FAILS.replace("1 / 0", "1 / 1");
const OTHER = `workflow: { name: other, entry_point: x }
steps: [{ name: x, type: set, value: 1 }]
`;

describe("a run that is cancelled", () => {
  it("can be cancelled again, with the same answer", async () => {
    write("ask.yaml", GATE);
    const { run_id } = await run("ask.yaml");
    const once = await cancelRun(session(), { run: run_id ?? "" });
    expect(once).toMatchObject({ status: "cancelled", exit_code: 130 });
    expect(await cancelRun(session(), { run: run_id ?? "" })).toEqual(once);
  });

  it("is refused when it has another end", async () => {
    write("fails.yaml", FAILS);
    const { run_id } = await run("fails.yaml");
    const refused = await cancelRun(session(), { run: run_id ?? "" });
    expect(refused).toMatchObject({ status: "invalid", error: expect.stringContaining("has failed already") });
  });
});

describe("a run is resumed", () => {
  it("not with the file of another workflow, and stays as it was", async () => {
    write("fails.yaml", FAILS);
    write("other.yaml", OTHER);
    const { run_id } = await run("fails.yaml");
    const refused = await resume(run_id ?? "", "other.yaml");
    expect(refused).toMatchObject({ status: "invalid", errors: [{ error_type: "OtherWorkflow" }] });
    expect(refused.error).toBe(
      `other.yaml is the workflow other, and the run ${run_id} is of fails (fails.yaml): a run goes on with its own workflow`,
    );
    expect(await showRun(session(), { run: run_id ?? "" })).toMatchObject({ status: "failed", file: "fails.yaml" });
  });

  it("with an edited copy of the same name", async () => {
    write("fails.yaml", FAILS);
    write("copy.yaml", WORKS);
    const { run_id } = await run("fails.yaml");
    expect(await resume(run_id ?? "", "copy.yaml")).toMatchObject({ status: "completed", file: "copy.yaml" });
  });

  it("with its own file under a new name, in place or moved", async () => {
    const renamed = WORKS.replace("name: fails", "name: works");
    write("fails.yaml", FAILS);
    const [first, second] = [await run("fails.yaml"), await run("fails.yaml")];
    write("fails.yaml", renamed);
    expect(await resume(first.run_id ?? "", "fails.yaml")).toMatchObject({ status: "completed" });
    mkdirSync(join(cwd, "moved"));
    renameSync(join(cwd, "fails.yaml"), join(cwd, "moved/works.yaml"));
    expect(await resume(second.run_id ?? "", "moved/works.yaml")).toMatchObject({ status: "completed" });
  });
});
