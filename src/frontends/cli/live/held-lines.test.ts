import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandLine } from "../../../../test/support/command-line.ts";

const cwd = mkdtempSync(join(tmpdir(), "segno-once-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function ran(
  steps: string,
  output = "",
): Promise<{ readonly stdout: string; readonly lines: readonly string[] }> {
  writeFileSync(join(cwd, "w.yaml"), `workflow: { name: w, entry_point: a }\nsteps:\n${steps}\n${output}`);
  const { stdout, stderr } = await commandLine(["run", "w.yaml"], { cwd, env: { HOME: cwd } });
  const lines = `${stdout}${stderr}`.replace(/01[0-9A-Z]{24}/g, "01RUN").replace(/ {2}\d+ms ·.*/g, "");
  return { stdout, lines: lines.split("\n").filter((line) => line.trim() !== "") };
}

const failing = (name: string, routes = "") =>
  `  - { name: ${name}, type: set, value: "{{ workflow.input.gone }}"${routes} }`;
const told = (lines: readonly string[]) => lines.filter((line) => line.includes("no field 'gone'"));

describe("a message is said once", () => {
  it("when the run fails with it: in the report, which says once how to go on", async () => {
    const { lines } = await ran(failing("a"));
    expect(told(lines)).toHaveLength(1);
    expect(lines.join("\n").match(/segno resume/g)).toHaveLength(1);
    expect(lines.at(-1)).toBe("✗ w failed at a: internal.template_error");
  });

  it("when a route leads to a terminate that quotes it: in its reason, and nothing is printed as the output", async () => {
    const ending = `  - { name: z, type: terminate, status: failed, reason: "no: {{ error.message }}" }`;
    const { stdout, lines } = await ran(
      `${failing("a", ", routes: [{ to: $end }, { on_error: true, to: z }]")}\n${ending}`,
      'output: { x: "{{ a.output }}" }\n',
    );
    expect(told(lines)).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^✗ w terminated by z: no: /);
    expect(stdout).toBe("");
    expect(lines).toContain("a: internal.template_error goes to z (line 3)");
  });

  it("when a step handles it and the run goes on: while it runs", async () => {
    const { lines } = await ran(
      `${failing("a", ", routes: [{ to: $end }, { on_error: true, to: z }]")}\n  - { name: z, type: set, value: 1 }`,
    );
    expect(told(lines)).toEqual([expect.stringMatching(/^a: internal\.template_error: /)]);
    expect(lines).toContain("▲ a: internal.template_error (handled by z)");
  });

  it("when a retry follows: for each attempt, while it runs", async () => {
    const retry = ", routes: [{ to: $end }, { on_error: true, retry: { max: 1, initial_seconds: 0 } }]";
    const { lines } = await ran(failing("a", retry));
    expect(told(lines)).toHaveLength(2);
    expect(lines[2]).toMatch(/^a: internal\.template_error: /);
  });
});

it("a message that goes up from a sub-workflow is said of the step that raised it", async () => {
  writeFileSync(
    join(cwd, "child.yaml"),
    `workflow: { name: c, entry_point: inner }\nsteps:\n${failing("inner", ", routes: [{ to: $end }, { on_error: true, propagate: true }]")}\n`,
  );
  const { lines } = await ran(
    "  - { name: a, type: workflow, workflow: child.yaml, routes: [{ to: $end }, { on_error: true, to: z }] }\n  - { name: z, type: set, value: 1 }",
  );
  expect(told(lines)).toEqual([expect.stringMatching(/^a\/inner: internal\.template_error: /)]);
  expect(lines).toContain("a: internal.template_error goes to z (line 3)");
});
