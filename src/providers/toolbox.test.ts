import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testAttempt } from "../../test/support/model-calls.ts";
import { raised } from "../base/errors/index.ts";
import type { ToolOutputLimits } from "../steps/tool-output.ts";
import type { McpResult } from "../steps/world.ts";
import type { McpPool, McpTool } from "./mcp/pool.ts";
import { openToolbox, ToolboxFailure, toolName } from "./toolbox.ts";

const LIMITS: ToolOutputLimits = { enabled: true, maxChars: 1000, spillToFile: true, spillDir: null };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "segno-toolbox-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const tool = (server: string, name: string): McpTool => ({
  server,
  name,
  description: name,
  inputSchema: { type: "object" },
});

const poolOf = (
  result: McpResult,
  tools: readonly McpTool[] = [tool("web", "search"), tool("web", "fetch"), tool("git", "log")],
): McpPool => ({ listTools: async () => ({ ok: true, tools }), callTool: async () => result, close: async () => {} });

const text = (value: string): McpResult => ({ ok: true, content: [{ type: "text", text: value }] });
const call = { id: "1", name: "web__search", input: { q: "x" } };

describe("which tools an agent has", () => {
  test.each([
    [null, ["web__search", "web__fetch", "git__log"]],
    [["*"], ["web__search", "web__fetch", "git__log"]],
    [["web__search"], ["web__search"]],
    [["search"], ["web__search"]],
    [["web"], ["web__search", "web__fetch"]],
    [
      ["git__*", "fetch"],
      ["web__fetch", "git__log"],
    ],
    [[], []],
  ])("tools: %j gives %j", async (wanted, names) => {
    const { attempt, events } = testAttempt({ dir });
    const toolbox = await openToolbox({ pool: poolOf(text("ok")), wanted, attempt, limits: LIMITS });
    expect(toolbox.definitions.map((one) => one.name)).toEqual(names);
    expect(events).toEqual([]);
  });

  test("a name that no server offers is a warning", async () => {
    const { attempt, events } = testAttempt({ dir });
    await openToolbox({ pool: undefined, wanted: ["web_search"], attempt, limits: LIMITS });
    expect(events).toMatchObject([{ type: "warning", data: { message: expect.stringContaining("web_search") } }]);
  });

  test("names are made fit for the APIs, and stay apart", () => {
    expect(toolName("my server", "read/file")).toBe("my_server__read_file");
    const long = toolName("s", "x".repeat(100));
    expect(long).toHaveLength(62);
    expect(toolName("s", "x".repeat(100), new Set([long]))).not.toBe(long);
  });
});

describe("what a call comes to", () => {
  const open = async (result: McpResult, limits = LIMITS) => {
    const { attempt, events } = testAttempt({ dir });
    return { toolbox: await openToolbox({ pool: poolOf(result), wanted: null, attempt, limits }), events };
  };

  test("a long answer is cut, kept whole in a file, and says so", async () => {
    const { toolbox, events } = await open(text("a".repeat(5000)));
    const reply = await toolbox.run(call);
    expect(reply.text.startsWith("a".repeat(1000))).toBe(true);
    expect(reply.text).toContain("first 1000 of 5000 characters");
    const cut = events.find((event) => event.type === "agent_tool_output_truncated")?.data;
    expect(cut).toMatchObject({
      agent_name: "writer",
      tool_name: "web__search",
      original_chars: 5000,
      kept_chars: 1000,
    });
    expect(readFileSync(String(cut?.spill_path), "utf8")).toBe("a".repeat(5000));
  });

  test("a long answer is left alone when limits are off", async () => {
    const { toolbox } = await open(text("a".repeat(5000)), { ...LIMITS, enabled: false });
    expect((await toolbox.run(call)).text).toHaveLength(5000);
  });

  test("structured content without text is given as JSON", async () => {
    const { toolbox } = await open({ ok: true, structured: { n: 1 }, content: [] });
    expect((await toolbox.run(call)).text).toBe('{"n":1}');
  });

  test("an error of the tool goes to the model", async () => {
    const { toolbox, events } = await open({ ok: false, error: raised("mcp.tool_error", "no such city") });
    expect(await toolbox.run(call)).toMatchObject({ text: "no such city", failed: true });
    expect(events.at(-1)).toMatchObject({ type: "agent_tool_complete", data: { failed: true } });
  });

  test("arguments that the server refused go to the model", async () => {
    const { toolbox } = await open({ ok: false, error: raised("mcp.protocol_error", "bad", { code: -32602 }) });
    expect(await toolbox.run(call)).toMatchObject({ failed: true });
  });

  test("a server that died fails the agent", async () => {
    const { toolbox } = await open({ ok: false, error: raised("mcp.protocol_error", "gone", { code: -32000 }) });
    await expect(toolbox.run(call)).rejects.toBeInstanceOf(ToolboxFailure);
  });

  test("a tool that does not exist is told to the model", async () => {
    const { toolbox } = await open(text("ok"));
    expect(await toolbox.run({ ...call, name: "nope" })).toMatchObject({ failed: true });
  });
});
