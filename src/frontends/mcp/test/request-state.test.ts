// What a new client brings back of a question is signed: it can neither be changed nor used for anything else. The messages
// are written by hand, since the protocol's own client would send none of these.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HttpServer, newFolder, startHttp } from "./client.ts";

const GATE = `
workflow: { name: gate, entry_point: ship }
agents:
  - { name: ship, type: human_gate, prompt: Ship it?, options: [{ label: Yes, value: ship_it, route: $end }, { label: No, value: wait, route: $end }] }
`;

const folder = newFolder();
let server: HttpServer;
beforeAll(async () => {
  writeFileSync(join(folder, "gate.yaml"), GATE);
  const env = { PATH: process.env.PATH ?? "", HOME: folder, SEGNO_HOME: join(folder, ".home") };
  server = await startHttp(["--root", ".", "--allow-gate-answers"], folder, env);
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

async function call(name: string, given: object, more: object = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "by-hand", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: given, _meta, ...more },
    }),
  });
  const text = await response.text();
  return JSON.parse(
    text.startsWith("{") ? text : (text.split("\n").findLast((line) => line.startsWith("data: ")) ?? "").slice(6),
  );
}

it("answers its gate only as it was given out, for its own tool, with a choice that there is, and once", async () => {
  const { result: asked } = await call("workflow_run", { file: "gate.yaml" });
  const state: string = asked.requestState;
  const answer = async (
    requestState: unknown,
    choice: unknown,
    name = "workflow_run",
    given: object = { file: "gate.yaml" },
  ) => {
    const inputResponses = { gate: { action: "accept", content: { choice } } };
    const { result, error } = await call(name, given, { requestState, inputResponses });
    return error?.message ?? result.structuredContent.status;
  };
  const [version, payload = "", signature] = state.split(".");
  const other = Buffer.from(payload, "base64url").toString().replace('"asked":1', '"asked":0');
  const forged = [version, Buffer.from(other).toString("base64url"), signature].join(".");
  expect(forged).not.toBe(state);
  for (const wrong of [forged, state.slice(0, -4), "", "nonsense", { run: "any" }])
    expect(await answer(wrong, "ship_it")).toContain("Invalid or expired requestState");
  for (const [choice, tool, given] of [
    ["ship_it", "run_list", {}],
    ["sink_it", "workflow_run", { file: "gate.yaml" }],
    [{ ship_it: true }, "workflow_run", { file: "gate.yaml" }],
  ] as const)
    expect(await answer(state, choice, tool, given)).toMatch(/paused|invalid/);
  const waiting = async (): Promise<number> => (await call("gate_list", {})).result.structuredContent.gates.length;
  expect(await waiting()).toBe(1);
  expect(await answer(state, "ship_it")).toBe("completed");
  expect(await answer(state, "wait")).toBe("completed");
  expect(await waiting()).toBe(0);
  const [run] = (await call("run_list", {})).result.structuredContent.runs;
  const { events } = (await call("run_events", { run_id: run.run_id })).result.structuredContent;
  expect(JSON.stringify(events)).toContain("ship_it");
  expect(JSON.stringify(events.slice(-3))).not.toContain('"wait"');
});
