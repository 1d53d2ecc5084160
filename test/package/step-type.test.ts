// The recipe of CONTRIBUTING.md for a step type, followed to the letter in a copy of the repository: three files and a
// line. The new type is then asked for through every door that knows types.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KEPT_CODE } from "../support/program.ts";
import { copyBelow } from "./pack-copy.ts";

const RECIPE = /## Adding a step type\n([\s\S]*?)\n## /.exec(readFileSync("CONTRIBUTING.md", "utf8"))?.[1] ?? "";
const FLOW = `
workflow: { name: signed, entry_point: first, input: { text: { type: string, default: "" } } }
steps:
  - { name: first, type: digest, text: "always {{ workflow.name }}", routes: [{ to: second }] }
  - { name: second, type: digest, text: "{{ workflow.input.text }}" }
output: { sum: "{{ second.output.sha256 }}" }
`;
const SCENARIO = `
name: answered
workflow: flow.yaml
inputs: { text: hello }
step_scripts:
  - { step: first, output: { sha256: one } }
  - { step: second, output: { sha256: two } }
expected_trace: { status: completed, output: { sum: two } }
`;

let folder: string;
let copy: string;
const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  SEGNO_HOME: join(folder, "home"),
  NO_COLOR: "1",
  ...KEPT_CODE,
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-recipe-"));
  copy = copyBelow(folder);
  const blocks = [...RECIPE.matchAll(/ {3}```ts\n {3}\/\/ (\S+)\n([\s\S]*?) {3}```/g)];
  expect(blocks.map(([, file = ""]) => file.split("/").at(-1))).toEqual(["schema.ts", "run.ts", "index.ts"]);
  for (const [, file = "", text = ""] of blocks) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text.replaceAll(/^ {3}/gm, ""));
  }
  const [, kind = ""] = / {3}```ts\n {3}\/\/ in `registry`\n([\s\S]*?) {3}```/.exec(RECIPE) ?? [];
  expect(kind).toContain('"digest.empty"');
  const kinds = join(copy, "src/base/errors/kinds.ts");
  writeFileSync(
    kinds,
    readFileSync(kinds, "utf8").replace(/^const registry: .* = \{\n/m, (line) => line + kind),
  );
  const list = join(copy, "src/steps/types.ts");
  const text = readFileSync(list, "utf8");
  writeFileSync(
    list,
    `import { digest } from "./digest/index.ts";\n${text.replace("export const STEP_TYPES = {\n", "$&  digest,\n")}`,
  );
  const built = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: copy, env: env(), encoding: "utf8" });
  expect(built.stderr).toBe("");
  expect(built.status).toBe(0);
  writeFileSync(join(folder, "flow.yaml"), FLOW);
  writeFileSync(join(folder, "flow.scenario.yaml"), SCENARIO);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function segno(...args: readonly string[]) {
  const program = join(copy, "dist/main.cjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    env: env(),
    encoding: "utf8",
  });
  return { status, stdout, text: `${stdout}${stderr}` };
}
const json = (...args: readonly string[]) => JSON.parse(segno(...args, "--output-format", "json").stdout);

it("compiles, whatever else has a list of all types", { timeout: 300_000 }, () => {
  const include = ["src/main.ts", "src/index.ts", "scripts/docs/*.ts"];
  writeFileSync(join(copy, "tsconfig.recipe.json"), JSON.stringify({ extends: "./tsconfig.json", include }));
  // On one thread: several each find out anew what they share, and take twice the processor time.
  const tsc = ["node_modules/typescript/bin/tsc", "--noEmit", "--singleThreaded", "-p", "tsconfig.recipe.json"];
  const { status, stdout } = spawnSync(process.execPath, tsc, { cwd: copy, encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

it("says all that no type may leave out", { timeout: 300_000 }, () => {
  // Without a configuration: that of the repository names folders that the copy does not have.
  const vitest = [
    resolve("node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=verbose",
    "--root",
    copy,
    "src/steps/types.test.ts",
  ];
  const { status, stdout } = spawnSync(process.execPath, vitest, { cwd: copy, env: env(), encoding: "utf8" });
  expect(stdout).toContain("the type digest");
  expect(status).toBe(0);
});

it("is known to validation: its fields, its templates, its kinds and its output", () => {
  expect(segno("validate", "flow.yaml")).toMatchObject({ status: 0 });
  const wrong = FLOW.replace("workflow.input.text", "first.output.md5").replace("second, type: digest", "$&, txt: x");
  writeFileSync(join(folder, "wrong.yaml"), wrong);
  const { status, text } = segno("validate", "wrong.yaml");
  expect(status).not.toBe(0);
  expect(text).toContain("txt");
  expect(text).toContain("md5");
  expect(segno("errors", "flow.yaml").text).toContain("digest.empty");
});

it("is drawn, and described in the schema for editors and in the reference", () => {
  expect(segno("graph", "flow.yaml").text).toContain("second · digest");
  expect(segno("schema").text).toContain("DigestStep");
  const written = spawnSync(process.execPath, ["scripts/docs/main.mjs"], { cwd: copy, encoding: "utf8" });
  expect(written.status).toBe(0);
  expect(readFileSync(join(copy, "docs/reference.md"), "utf8")).toContain("### `type: digest`");
});

it("runs, raises, is resumed with what it did before, and is shown on the page", { timeout: 60_000 }, async () => {
  const failed = json("run", "flow.yaml");
  expect(failed).toMatchObject({ status: "failed", errors: [{ kind: "digest.empty" }] });
  const resumed = json("resume", failed.run_id, "-i", "text=hello");
  const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  expect(resumed).toMatchObject({ status: "completed", output: { sum } });
  expect(segno("explain", failed.run_id).text).toMatch(/= first .*reused/);
  const child = spawn(process.execPath, [join(copy, "dist/main.cjs"), "serve", "--port", "0"], {
    cwd: folder,
    env: env(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const [, url = "", token] = await new Promise<RegExpExecArray>((found) =>
      createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) => {
        const match = /(http:\/\/[^/]+)\/#token=(\S+)/.exec(line);
        if (match) found(match);
      }),
    );
    const headers = { "content-type": "application/json", origin: url };
    const opened = await fetch(`${url}/api/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
    const authorization = `Bearer ${((await opened.json()) as { readonly session: string }).session}`;
    const get = async (path: string) => await (await fetch(`${url}${path}`, { headers: { authorization } })).text();
    expect(await get(`/api/runs/${failed.run_id}`)).toContain('"type":"digest"');
    expect(await get(`/api/runs/${failed.run_id}/steps/second`)).toContain(sum);
  } finally {
    child.kill("SIGKILL");
  }
});

it("is answered for by a scenario", () => {
  expect(segno("test", "flow.scenario.yaml")).toMatchObject({ status: 0 });
});
