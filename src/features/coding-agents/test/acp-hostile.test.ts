// Agents that do not keep to the protocol: what they flood, invent or send too late neither fills the memory nor reaches the
// terminal, and ends as an error of the step or not at all.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MovedClock } from "../../../../test/support/moved-clock.ts";
import { until } from "../../../../test/support/until.ts";
import { type Act, playStandIn, standInFile } from "./acp-stand-in.ts";
import { codingPlayground, hasSandbox, processesWith, saidIn, told } from "./workshop.ts";

const play = codingPlayground();
const once = "retry: { max_attempts: 1 }";

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const updateLine = (update: object): string =>
  line({ method: "session/update", params: { sessionId: "SESSION", update } });
const REQUESTS = line({ id: "ID", method: "session/request_permission", params: { sessionId: "SESSION" } });
const chunk = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

describe.skipIf(!hasSandbox)("a hostile agent by ACP", () => {
  it.each<[string, Act, string]>([
    ["a message that does not end", { huge: 20 * 1024 * 1024 }, "larger than 16 MiB"],
    ["text that does not end", { flood: { line: updateLine(chunk("x".repeat(60_000))), times: 1e6 } }, "of text"],
    ["updates that say nothing", { flood: { line: updateLine({ plan: "x".repeat(60_000) }), times: 1e6 } }, "bytes"],
    ["lines that are no messages", { flood: { line: "hello\n", times: 1e6 } }, "no messages"],
    ["requests without number", { flood: { line: REQUESTS, times: 1e6 } }, "requests"],
  ])("is ended for %s", async (_, act, why) => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const { result } = await playStandIn(play(), { acts: [act, { hang: true }], step: once });
      expect(result.errors).toMatchObject([{ kind: "provider.exhausted", message: expect.stringContaining(why) }]);
      expect(printed).not.toHaveBeenCalled();
      await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
    } finally {
      printed.mockRestore();
    }
  });

  it("is not heard with wrong ids, other sessions and malformed updates, and nothing of it is printed", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const acts = [
      { raw: line({ id: 4711, result: { stopReason: "end_turn" } }) },
      { raw: line({ id: "x", error: { code: 1, message: "no" } }) },
      { raw: line({ id: null, result: null }) },
      { raw: '[1, 2]\n{"jsonrpc":"2.0"}\nnull\n{"method": 7, "id": {}}\n' },
      { update: { sessionId: "another", ...chunk("of another session") } },
      { raw: line({ method: "session/update", params: null }) },
      { update: { sessionUpdate: "agent_message_chunk", content: 7 } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: { a: 1 }, status: "completed" } },
      { update: { sessionUpdate: "no_such_update" } },
      { request: ["fs/read_text_file", { sessionId: "s", path: "/etc/passwd" }] },
      { request: ["terminal/create", { sessionId: "s", command: "id" }] },
      { say: "done" },
      { later: "too late" },
    ];
    try {
      const { result, events } = await playStandIn(play(), { acts });
      expect(result.errors).toEqual([]);
      expect(saidIn(events, "agent_message")).toBe("done");
      expect(told(events, "agent_tool_start")).toEqual([]);
      expect(printed).not.toHaveBeenCalled();
    } finally {
      printed.mockRestore();
    }
  });

  it("is given up when nothing of its work is heard, though it sends lists of commands all the time", async () => {
    const at = play();
    const clock = new MovedClock();
    at.write({ "main.yaml": standInFile({ acts: [{ chatter: "chatted" }, { hang: true }], step: once }) });
    const running = at.run("main.yaml", { extensions: { clock } });
    const chatted = (): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
    const file = join(at.work, "chatted");
    await until(() => chatted() > 2);
    clock.move(400_000);
    const before = chatted();
    await until(() => chatted() > before + 2);
    clock.move(400_000);
    const { result } = await running;
    expect(result.errors).toMatchObject([{ kind: "provider.exhausted", message: expect.stringContaining("600 s") }]);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });
});
