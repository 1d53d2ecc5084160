import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commandLine } from "../../../test/support/command-line.ts";

it.each([
  ["is on the path", {}, "segno"],
  ["was called by npx", { npm_command: "exec" }, "npx segno"],
  ["was called by its place in a project", { PATH: "/nowhere" }, "npx segno"],
])("prints commands that work where the program %s", async (_, more, program) => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-init-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, "bin"));
  writeFileSync(join(cwd, "bin/segno"), "");
  const { stdout } = await commandLine(["init", "flow"], { cwd, env: { PATH: join(cwd, "bin"), HOME: cwd, ...more } });
  expect(stdout).toContain(`\n  ${program} run flow/hello.yaml `);
});
