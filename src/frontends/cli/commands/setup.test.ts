import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commandLine } from "../../../../test/support/command-line.ts";

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

it("copies a workflow of the gallery, with scenarios that pass", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-init-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const call = (...args: string[]) => commandLine(args, { cwd, env: { HOME: cwd, PATH: process.env.PATH } });
  expect((await call("init", "--list")).stdout).toContain("nightly-import  Nightly import with dead letters.\n");
  const { stdout } = await call("init", "flow", "--template", "triage");
  expect(stdout).toContain("segno test flow ");
  expect(await call("test", "flow", "--home", "home")).toMatchObject({ code: 0 });
  const { code, stderr } = await call("init", "other", "--template", "triag");
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no template `triag`. Did you mean `triage`?"),
  });
});

it("makes the folders that are missing, and says so of those that cannot be made", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-init-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const call = (...args: string[]) => commandLine(args, { cwd, env: { HOME: cwd } });
  expect(await call("init", "flows/first")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("flows/first/hello.yaml"),
  });
  writeFileSync(join(cwd, "file"), "");
  expect(await call("init", "file/below")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/file\/below cannot be written: E\w+: .*Choose another folder: segno init DIR/),
  });
});

it("promises a plugin only where it wrote one", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "segno-init-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const { stdout } = await commandLine(["init", "imports", "--template", "nightly-import"], {
    cwd,
    env: { HOME: cwd },
  });
  expect(stdout).toMatch(/segno trust +see what segno\.yaml would execute or start, and allow it/);
  expect(stdout).not.toContain("plugin");
});
