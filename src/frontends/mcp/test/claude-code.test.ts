// Claude Code's own program as the client: it writes, runs, repairs and proves a workflow. Its model is a fake; each session
// starts a server of its own, so that the second finds what the first began.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Answer, type FakeRequest, startAgentFake } from "../../../../test/fakes/index.ts";
import { describeAgent } from "../../../features/coding-agents/test/workshop.ts";

const CLAUDE = resolve(
  `.agents/node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`,
);

const WORKFLOW = `
workflow: { name: notes, entry_point: fetch }
agents:
  - { name: fetch, type: script, command: sh, args: [-c, "echo x >> count; echo '{\\"title\\": \\"Release\\"}'"], routes: [{ to: write }] }
  - { name: write, type: set, value: "{{ fetch.output.titel }}" }
output: { title: "{{ write.output }}" }
`;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Turn = (results: readonly string[]) => Answer;

/** One session: the model takes its turns, and what the tools gave comes back. */
async function session(folder: string, turns: readonly Turn[]) {
  const seen: FakeRequest[] = [];
  const fake = await startAgentFake({
    answers(request) {
      // Also a title and the like are asked for: without tools.
      if (request.tools.length === 0) return "ok";
      seen.push(request);
      return turns[request.results.length]?.(request.results) ?? "done";
    },
  });
  const server = {
    command: process.execPath,
    args: [resolve("dist/main.js"), "mcp"],
    env: { SEGNO_HOME: join(folder, ".home") },
  };
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { segno: server } }));
  const args = ["-p", "go", "--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__segno,Write"];
  const child = spawn(CLAUDE, [...args, "--output-format", "json", "--model", "claude-sonnet-4-5"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: join(folder, ".user"),
      ANTHROPIC_BASE_URL: fake.url,
      ANTHROPIC_API_KEY: "key-of-nobody-at-all",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ENABLE_TOOL_SEARCH: "false",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  await fake.close();
  return { code, said, results: seen.at(-1)?.results ?? [], tools: seen[0]?.tools.map(({ name }) => name) ?? [] };
}

const call = (name: string, input: object): Answer => ({ tools: [{ name, input }] });
const segno = (name: string, input: object): Answer => call(`mcp__segno__${name}`, input);

describeAgent("claude-agent-sdk", "as the client of segno mcp", () => {
  it("writes, runs, repairs and proves a workflow, with another server after the failure", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-claude-mcp-"));
    folders.push(folder);
    const path = join(folder, "notes.yaml");
    const first = await session(folder, [
      () => call("Write", { file_path: path, content: WORKFLOW }),
      () => segno("workflow_validate", { file: "notes.yaml" }),
      () => segno("workflow_run", { file: "notes.yaml" }),
    ]);
    expect(first.code, first.said).toBe(0);
    expect(first.tools).toEqual(expect.arrayContaining(["mcp__segno__workflow_run", "mcp__segno__run_record"]));
    const failed = first.results.at(-1) ?? "";
    expect(failed).toContain("internal.template_error");
    const run_id = /01[0-9A-Z]{24}/.exec(failed)?.[0] ?? "";

    rmSync(path);
    const second = await session(folder, [
      () => segno("run_list", { status: "failed" }),
      () => call("Write", { file_path: path, content: WORKFLOW.replace("titel", "title") }),
      () => segno("run_resume", { run_id }),
      () => segno("run_record", { run_id }),
      () => segno("workflow_test", {}),
      () => segno("workflow_backtest", { file: "notes.yaml" }),
    ]);
    expect(second.code, second.said).toBe(0);
    const [listed, , resumed, recorded, tested, past] = second.results;
    expect(listed).toContain(run_id);
    expect(resumed).toContain("Release");
    expect(recorded).toContain(`"passed":true`);
    expect(tested).toContain(`"passed":1,"failed":0`);
    expect(past).toContain(`"counts"`);
  });
});
