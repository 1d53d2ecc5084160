import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runWorkflow } from "../runs/run.ts";
import type { Session } from "../session/session.ts";
import { checkNode, checkPlatform, type DoctorRequest, doctor } from "./index.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-doctor-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const KEY = "sk-0123456789-abcdef";
const session = (env: Record<string, string> = {}) => ({
  cwd,
  env: { PATH: process.env.PATH, HOME: "/nonexistent", ...env },
  home: join(cwd, "home"),
});
const checksOf = async (request: Session & DoctorRequest) =>
  new Map((await doctor(request, request)).checks.map((check) => [check.name, check]));

describe("segno doctor", () => {
  it.each([
    ["v20.19.0", true],
    ["v20.18.9", false],
    ["v24.1.0", true],
    ["v18.20.0", false],
  ])("takes node %s: %s", (version, ok) => expect(checkNode(version, "linux", "x64").ok).toBe(ok));

  it("wants a Node with SQLite on Windows on Arm, where there is no other", () => {
    expect(checkNode("v20.19.0", "win32", "x64").ok).toBe(true);
    expect(checkNode("v22.13.0", "win32", "arm64").ok).toBe(true);
    expect(checkNode("v22.12.0", "win32", "arm64")).toMatchObject({
      ok: false,
      message: "v22.12.0 is too old. Segno needs 22.13 or newer on Windows on Arm.",
    });
  });

  it("says in one line how Windows was tested, and what was not", () => {
    expect(checkPlatform("win32", "x64")).toMatchObject({
      ok: true,
      message: "Windows, x64: tested under Wine 10 with Node 22, not yet on a real Windows.",
    });
    expect(checkPlatform("freebsd", "x64").message).toContain("not tested");
    expect(checkPlatform("linux", "arm64").message).toBe("Linux, arm64");
  });

  it.each([
    ["@anthropic-ai/claude-agent-sdk", "claude-agent-sdk", { ANTHROPIC_API_KEY: KEY }, /Install it again/],
    ["@openai/codex", "codex", { OPENAI_API_KEY: KEY }, /Install it again/],
    ["@github/copilot-sdk", "copilot", { GH_TOKEN: KEY }, /Let COPILOT_CLI_PATH name one/],
  ])("says of %s whether its program is there as well", async (name, provider, env, advice) => {
    const install = (folder: string): void => {
      mkdirSync(join(cwd, "node_modules", folder), { recursive: true });
      writeFileSync(join(cwd, "node_modules", folder, "package.json"), "{}");
    };
    const found = async () => (await checksOf(session(env))).get(`provider.${provider}`);
    install(name);
    const without = await found();
    expect(without).toMatchObject({ ready: false, message: expect.stringMatching(/is installed, but has no program/) });
    expect(without?.message).toMatch(advice);
    install(`${name}-${process.platform}-${process.arch}`);
    expect(await found()).toMatchObject({ ready: true, message: expect.stringContaining(`${name} is installed;`) });
  });

  it("finds a new machine in order, and makes nothing on it", async () => {
    const answer = await doctor(session(), {});
    expect(answer).toMatchObject({ success: true, exit_code: 0 });
    expect(answer.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["node", "platform", "store.writable", "store.size", "store.format", "provider.copilot"]),
    );
    expect(() => mkdirSync(join(cwd, "home"))).not.toThrow();
  });

  it("tells whether keys are there, never the keys", async () => {
    const checks = await checksOf(session({ ANTHROPIC_API_KEY: KEY }));
    expect(checks.get("provider.anthropic")?.message).toBe("ANTHROPIC_API_KEY is set");
    expect(checks.get("provider.openai")).toMatchObject({ ok: true, message: expect.stringMatching(/^no key/) });
    expect(JSON.stringify([...checks])).not.toContain(KEY);
  });

  it("counts runs, and says what prune would do and which format the store has", async () => {
    writeFileSync(
      join(cwd, "a.yaml"),
      "workflow: { name: a, entry_point: a }\nagents:\n  - { name: a, type: set, value: 1 }\n",
    );
    await runWorkflow(session(), { file: "a.yaml", inputs: {} });
    const checks = await checksOf(session());
    expect(checks.get("store.size")?.message).toMatch(/^1 run, .*segno runs prune.*--keep N/);
    expect(checks.get("store.format")?.message).toMatch(/nothing waits for a migration/);
  });

  it("finds a damaged store, and exits with 1", async () => {
    mkdirSync(join(cwd, "home"));
    writeFileSync(join(cwd, "home", "state.db"), "this is no database, however long it is made to look like one");
    const answer = await doctor(session(), {});
    expect(answer).toMatchObject({ success: false, exit_code: 1 });
    expect(answer.error).toMatch(/store\.state/);
  });

  it("starts the MCP servers of a file only when asked to, says so first, and says why one does not start", async () => {
    const works = resolve("test/compat/mcp-server.mjs");
    writeFileSync(
      join(cwd, "m.yaml"),
      `workflow:
  name: m
  entry_point: a
  runtime:
    provider: openai
    mcp_servers:
      works: { command: ${process.execPath}, args: [${works}] }
      gone: { command: no-such-program-at-all }
      marks: { command: sh, args: [-c, touch started] }
agents:
  - { name: a, type: agent, prompt: hello }
`,
    );
    const untried = await checksOf({ ...session(), file: "m.yaml" });
    expect(untried.get("mcp.marks")).toMatchObject({
      ok: true,
      ready: false,
      message: expect.stringContaining("--start starts it (sh -c touch started)"),
    });
    expect(existsSync(join(cwd, "started"))).toBe(false);

    const said: string[] = [];
    const starting = (text: string): void => {
      said.push(`${text} ${existsSync(join(cwd, "started"))}`);
    };
    const checks = await checksOf({ ...session(), file: "m.yaml", start: true, starting });
    expect(said).toEqual([expect.stringMatching(/marks \(sh -c touch started\).* false$/)]);
    expect(existsSync(join(cwd, "started"))).toBe(true);
    expect(checks.get("mcp.works")).toMatchObject({
      ok: true,
      message: expect.stringMatching(/it starts and has \d+ tools?/),
    });
    expect(checks.get("mcp.gone")).toMatchObject({
      ok: false,
      message: expect.stringContaining("no-such-program-at-all"),
    });
    expect(checks.get("provider.openai")).toMatchObject({
      ok: false,
      message: expect.stringContaining("agents of this file"),
    });
  });

  it("says of a file that does not load where and why", async () => {
    writeFileSync(join(cwd, "bad.yaml"), "workflow: { name: b, entry_point: nowhere }\nagents: []\n");
    const checks = await checksOf({ ...session(), file: "bad.yaml" });
    expect(checks.get("file")).toMatchObject({ ok: false, message: expect.stringContaining("bad.yaml:") });
  });
});
