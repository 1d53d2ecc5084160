// What a face cannot be started with is wrong use, and says so before anything listens.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { begin } from "../../../../test/support/command-line.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-faces-"));
  writeFileSync(join(cwd, "flow.yaml"), "workflow: {}\n");
});
afterAll(() => rmSync(cwd, { recursive: true }));

const refused = async (...args: string[]): Promise<string> => {
  const command = begin(args, { cwd, env: { HOME: cwd, SEGNO_HOME: join(cwd, "home") } });
  expect(await command.ended).toBe(2);
  return command.said();
};

it.each(["serve", "mcp"])("%s needs a root that is a folder", async (face) => {
  for (const root of ["missing", "flow.yaml", "flow.yaml/below"])
    expect(await refused(face, "--root", root)).toContain(`--root must be a folder: ${join(cwd, root)} is not one.`);
});

it("mcp has no port over stdio", async () => {
  expect(await refused("mcp", "--port", "4000")).toContain("--port needs --http");
});
