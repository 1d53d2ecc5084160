// Workflows that are code, by the built program: what may be loaded, what a run leaves behind when it is killed, and YAML.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const INPUT = `{ type: "object", properties: { version: { type: "string" } }, required: ["version"] }`;

const RELEASE = `
import { appendFileSync, existsSync } from "node:fs";
import { defineWorkflow, script, step, terminate } from "segno/workflow";
import { compile, type Built } from "./compile.ts";

export default defineWorkflow({ name: "release", input: ${INPUT} })
  .step("build", step(({ input, raise }): Built => {
    appendFileSync("calls.txt", "build ");
    if (input.version === "bad") raise("build.broken", "it is broken", { version: input.version });
    return compile(input.version);
  }, { raises: ["build.broken"] }))
  .step("sign", ({ steps }) => step({ input: { url: steps.build.output.url }, run: async ({ input }) => {
    appendFileSync("calls.txt", "sign ");
    if (!existsSync("go")) await new Promise((done) => setTimeout(done, 600_000));
    return { signed: input.url + "!" };
  } }))
  .step("stopped", ({ error }) => terminate({ status: "failed", reason: \`stopped: \${error.message}\`, output_template: { kind: error.kind } }))
  .routes(({ build, sign, stopped, end }) => [build.to(sign), build.on("build.broken").to(stopped), sign.to(end)])
  .output(({ steps }) => ({ signed: steps.sign.output.signed }));
`;

const FILES = {
  "segno.yaml": 'workflows: ["*.workflow.ts"]\n',
  "release.workflow.ts": RELEASE,
  "compile.ts":
    "export interface Built { readonly url: string }\nexport const compile = (version: string): Built => ({ url: version });\n",
};

const trusted = async (files: Readonly<Record<string, string>>): Promise<Workshop> => {
  const workshop = new Workshop(files);
  expect((await workshop.program("trust", "--yes")).code).toBe(0);
  return workshop;
};

describe("a workflow that is code", () => {
  it("is not loaded before its project is trusted, nor when it has changed since", async () => {
    const { "segno.yaml": _, ...alone } = FILES;
    const outside = await new Workshop(alone).program("validate", "release.workflow.ts");
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining("only in a project that is trusted")]);

    const workshop = new Workshop(FILES);
    const before = await workshop.program("validate", "release.workflow.ts");
    expect([before.code, before.stderr]).toEqual([2, expect.stringContaining("segno.yaml is not")]);
    await workshop.program("trust", "--yes");
    const after = await workshop.program("errors", "release.workflow.ts");
    expect([after.code, after.stdout]).toEqual([0, expect.stringMatching(/build\.broken\s+→ stopped/)]);
    const types = await workshop.program("types", "release.workflow.ts", "--out", "types/segno.d.ts");
    expect([types.code, workshop.read("types/segno.d.ts")]).toEqual([
      0,
      expect.stringContaining('"release.workflow.ts": typeof import("../release.workflow.ts").default;'),
    ]);
    workshop.write("compile.ts", "export const compile = (version: string) => ({ url: version });\n");
    const changed = await workshop.program("run", "release.workflow.ts", "-i", "version=1");
    expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining("has changed since it was")]);
  });

  it("goes on after kill -9 without calling again what has ended", async () => {
    const workshop = await trusted(FILES);
    const run = spawn(process.execPath, [PROGRAM, "run", "release.workflow.ts", "-i", "version=1"], {
      cwd: workshop.dir,
      env: workshop.env(),
      stdio: "ignore",
    });
    const ended = new Promise((done) => run.once("exit", done));
    await until(() => existsSync(join(workshop.dir, "calls.txt")) && workshop.read("calls.txt").includes("sign"));
    run.kill("SIGKILL");
    await ended;
    workshop.write("go", "");
    const resumed = await workshop.program("resume", "--output-format", "json");
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "completed", output: { signed: "1!" } });
    expect(workshop.read("calls.txt")).toBe("build sign sign ");
  });

  it("raises typed errors, and says where its code is wrong", async () => {
    const workshop = await trusted({
      ...FILES,
      "wrong.workflow.ts": `import { defineWorkflow, http, step } from "segno/workflow";
interface Built { readonly url: string }
export default defineWorkflow({ name: "wrong" })
  .step("build", step((): Built => ({ url: "x" })))
  .step("upload", ({ steps }) => http({ url: (steps.build.output.url as unknown as string).toUpperCase() }));
`,
      "odd.workflow.ts": `import { defineWorkflow, set } from "segno/workflow";
export default defineWorkflow({ name: "odd" })
  .step("one", set({ a: "{{ nowhere.output.x }}" }));
`,
    });
    const bad = await workshop.program("run", "release.workflow.ts", "-i", "version=bad", "--output-format", "json");
    expect(JSON.parse(bad.stdout)).toMatchObject({ status: "terminated", output: { kind: "build.broken" } });
    const wrong = await workshop.program("validate", "wrong.workflow.ts");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("line 5: build.output.url.toUpperCase is called"),
    ]);
    const odd = await workshop.program("validate", "odd.workflow.ts");
    expect([odd.code, odd.stdout]).toEqual([2, expect.stringContaining("odd.workflow.ts:3:9")]);
  });

  it("is written as YAML, unless a step is a function", async () => {
    const workshop = await trusted({
      ...FILES,
      "plain.workflow.ts": `import { defineWorkflow, script, set, workflow } from "segno/workflow";
const child = defineWorkflow({ name: "child", input: ${INPUT} })
  .step("one", ({ input }) => set({ tag: \`v\${input.version}\` }))
  .output(({ steps }) => ({ tag: steps.one.output.tag }));
export default defineWorkflow({ name: "plain" })
  .step("call", workflow(child, { version: "1.20" }))
  .step("say", ({ steps }) => script({ command: "echo", args: [steps.call.output.tag], stdin: "a\\nb" }))
  .output(({ steps }) => ({ tag: steps.call.output.tag }));
`,
    });
    const functions = await workshop.program("export", "release.workflow.ts");
    expect([functions.code, functions.stderr]).toEqual([2, expect.stringContaining("build, sign are functions")]);
    const exported = await workshop.program("export", "plain.workflow.ts");
    expect([exported.code, exported.stdout]).toEqual([0, "plain.yaml, child.yaml written.\n"]);
    expect(workshop.read("plain.yaml")).toContain("\nsteps:\n  - name: call\n");
    const answers = await Promise.all(
      ["plain.yaml", "plain.workflow.ts"].map((file) => workshop.program("run", file, "--output-format", "json")),
    );
    for (const { stdout } of answers)
      expect(JSON.parse(stdout)).toMatchObject({ status: "completed", output: { tag: "v1.20" } });
  });
});
