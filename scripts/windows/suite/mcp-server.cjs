// The smallest MCP server: one tool, and deaf to the end of its stdin, as those behind a shell are.
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "desk", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "hello", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "hello from the desk" }] }),
};
require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined)
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} })}\n`);
  });
setInterval(() => {}, 1000);
