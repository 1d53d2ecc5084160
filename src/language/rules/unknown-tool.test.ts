import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const agent = (tools: string): string =>
  flow(`  - { name: a, prompt: p, tools: ${tools} }`, {
    section: "runtime: { mcp_servers: { web: { command: x, tools: [fetch] } } }",
    more: "tools: [search]\n",
  });

ruleCases("unknown-tool", [
  { name: "finds a misspelt tool", files: agent("[serch]"), lines: [3], suggests: "search" },
  { name: "takes listed tools, tools of a server, and none", files: agent("[search, web__fetch]"), lines: [] },
  { name: "takes a whole server, and a tool that a server is said to have", files: agent("[web, fetch]"), lines: [] },
  { name: "finds a tool of an unknown server", files: agent("[wob__fetch]"), lines: [3] },
  {
    name: "takes servers of the agent's own, and only for that agent",
    files: flow(
      "  - { name: a, prompt: p, tools: [own, own__x, there], mcp_servers: { own: { command: x, tools: [there] } } }\n  - { name: b, prompt: p, tools: [own] }",
    ),
    lines: [4],
  },
]);
