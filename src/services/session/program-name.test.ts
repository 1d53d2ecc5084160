import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { commandLine } from "../../../test/support/command-line.ts";
import { programName } from "./program-name.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [everyones, projects] = [join(folder, "bin"), join(folder, "node_modules/.bin")];
for (const one of [everyones, projects]) {
  mkdirSync(one, { recursive: true });
  writeFileSync(join(one, "segno"), "");
}
writeFileSync(
  join(folder, "fails.yaml"),
  "workflow: { name: w, entry_point: a }\nsteps: [{ name: a, type: set, value: '{{ workflow.input.x.y }}' }]\n",
);

it.each([
  ["is on the path", { PATH: ["/nowhere", everyones].join(delimiter) }, "segno"],
  ["was called by npx", { PATH: everyones, npm_command: "exec" }, "npx segno"],
  ["is in a project alone", { PATH: "/nowhere" }, "npx segno"],
  ["was called by a script of a project", { PATH: projects, npm_command: "run-script" }, "npx segno"],
  ["has no path to look at", {}, "segno"],
])("where it %s, it is called so", (_, env, name) => {
  expect(programName(env)).toBe(name);
});

it.each([
  [["run", "fails.yaml"], "npx segno resume 01"],
  [["show", "01NOBODY"], "`npx segno runs` lists those that are there"],
  [["trust"], "npx segno init --project writes one"],
  [["run"], "Try: npx segno run --help"],
  [["--help"], "npx segno run my-flow/hello.yaml"],
])("hints of %j name it as it was called", async (args, hint) => {
  const env = { HOME: folder, PATH: "/nowhere", npm_command: "exec" };
  const { stdout, stderr } = await commandLine(args, { cwd: folder, env });
  expect(stdout + stderr).toContain(hint);
});
