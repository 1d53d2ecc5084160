#!/usr/bin/env node
// The least of an MCP server over stdio: one tool, `search`. Stands in for the servers that examples fetch from the network.
import { createInterface } from "node:readline";

const tool = {
  name: "search",
  description: "Finds pages on the web.",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "stand-in", version: "1" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": ({ arguments: given }) => ({
    content: [{ type: "text", text: `a page about ${given?.query}, in ${process.cwd()}` }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
}
