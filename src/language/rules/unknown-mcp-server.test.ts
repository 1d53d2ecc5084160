import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const call = (server: string, tool = "create", tools = "['*']"): string =>
  flow(`  - { name: a, type: mcp, server: ${server}, tool: ${tool} }`, {
    section: `runtime: { mcp_servers: { github: { command: x, tools: ${tools} } } }`,
  });

ruleCases("unknown-mcp-server", [
  { name: "finds a misspelt server", files: call("githb"), lines: [3], suggests: "github" },
  {
    name: "finds a tool that the server is not allowed",
    files: call("github", "crate", "[create]"),
    lines: [3],
    suggests: "create",
  },
  { name: "is content with a server of the file", files: call("github"), lines: [] },
]);
