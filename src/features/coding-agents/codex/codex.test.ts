import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testHooks, testTask } from "../../../../test/support/coding-task.ts";
import { permissionsOf } from "../permissions.ts";
import { failureOfTurn } from "./index.ts";
import { CodexListener } from "./listen.ts";
import { bringCodexSettings } from "./settings.ts";

const usage = (turnId: string, inputTokens: number) => ({ turnId, tokenUsage: { last: { inputTokens } } });

describe("what Codex used", () => {
  it("is counted once: a session that goes on tells its last use again", () => {
    const hooks = testHooks();
    const listener = new CodexListener(hooks, () => "m");
    listener.hear("thread/tokenUsage/updated", usage("old", 10));
    listener.hear("turn/started", { turn: { id: "new" } });
    listener.hear("thread/tokenUsage/updated", usage("old", 10));
    listener.hear("thread/tokenUsage/updated", usage("new", 7));
    expect(hooks.heardOf.filter(([name]) => name === "used")).toMatchObject([["used", { tokens: { input: 7 } }]]);
    expect(listener.calls).toBe(1);
  });
});

describe("a command of Codex that still runs when it answers", () => {
  it("is recorded as ended with the agent, and no other is", () => {
    const hooks = testHooks();
    const listener = new CodexListener(hooks, () => "m");
    const item = (id: string) => ({
      item: { id, type: "commandExecution", command: "sleep 300", status: "completed" },
    });
    listener.hear("item/started", item("a"));
    listener.hear("item/started", item("b"));
    listener.hear("item/completed", item("b"));
    listener.end();
    expect(hooks.heardOf.filter(([name]) => name === "toolCompleted")).toMatchObject([
      ["toolCompleted", "shell", { output: "" }, false],
      ["toolCompleted", "shell", "it was ended with the agent", true],
    ]);
  });
});

describe("a failed turn of Codex", () => {
  it.each([
    ["a 400 with a plain body", "Bad Request: no such field", "rejected"],
    ["a cut stream", "stream disconnected before completion: error sending request", "transient"],
    ["a body with a type", '{"error":{"type":"invalid_request_error","message":"no"}}', "rejected"],
    ["a 400 whose body names a type of other statuses", '{"error":{"type":"server_error","message":"no"}}', "rejected"],
    ["a used-up quota", '{"error":{"type":"insufficient_quota","message":"no"}}', "unavailable"],
  ])("is told apart: %s", (_, message, reason) => {
    expect(failureOfTurn({ message, codexErrorInfo: "other" }).reason).toBe(reason);
  });

  it.each([
    ["rateLimitExceeded", 429, "transient"],
    ["modelNotFound", 404, "rejected"],
    [{ httpConnectionFailed: { httpStatusCode: 403 } }, 403, "rejected"],
    [{ responseStreamDisconnected: { httpStatusCode: null } }, null, "transient"],
  ])("is told apart by what Codex says about it: %j", (codexErrorInfo, status, reason) => {
    expect(failureOfTurn({ message: "no", codexErrorInfo })).toMatchObject({ status, reason });
  });

  it("has the status that the server gave", () => {
    const message = '{"error":{"type":"api_error","message":"no such thing"}}';
    expect(failureOfTurn({ message, codexErrorInfo: "other" })).toMatchObject({
      status: 400,
      message: "no such thing",
    });
  });
});

describe("what a repository brings to Codex", () => {
  it("is its own: a link to the settings of its user brings nothing", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "segno-brought-")));
    const cwd = join(folder, "repository");
    for (const path of [".git", ".codex", "sub/.codex"]) mkdirSync(join(cwd, path), { recursive: true });
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "config.toml"), '[mcp_servers.users]\ncommand = "a"\n');
    symlinkSync(join(folder, "config.toml"), join(cwd, ".codex/config.toml"));
    writeFileSync(join(cwd, "sub/.codex/config.toml"), '[mcp_servers.own]\ncommand = "b"\n');
    const task = testTask({
      cwd: join(cwd, "sub"),
      home: join(folder, "home"),
      permissions: permissionsOf({ settings: "project" }),
    });
    const servers = await bringCodexSettings(task);
    expect(servers).toContain("mcp_servers.own");
    expect(servers).not.toContain("mcp_servers.users");
    rmSync(folder, { recursive: true });
  });
});
