import { stepNodes } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

export const unknownMcpServer = defineRule({
  name: "unknown-mcp-server",
  severity: "error",
  description:
    "The `server` of an mcp step is one of `workflow.runtime.mcp_servers`, and its `tool` is one that the server's `tools` allows.",
  example:
    "runtime: { mcp_servers: { github: { command: github-mcp } } }\n…\n  - { name: open, type: mcp, server: githb, tool: create_issue }",
  *check(context) {
    const servers = context.workflow.definition.workflow.runtime?.mcp_servers ?? {};
    const known = Object.keys(servers);
    for (const node of stepNodes(context, "mcp")) {
      const { server, tool } = node.step;
      const found = Object.hasOwn(servers, server) ? servers[server] : undefined;
      if (!found) {
        const suggestions = closest(server, known);
        yield context.about(
          node,
          ["server"],
          `There is no MCP server ${code(server)}.${didYouMean(suggestions)} ${known.length > 0 ? `The file has ${listed(known, "and")}; describe` : "Describe"} others under \`workflow.runtime.mcp_servers\`.`,
          { suggestions },
        );
      } else if (!found.tools.includes("*") && !found.tools.includes(tool)) {
        const suggestions = closest(tool, found.tools);
        yield context.about(
          node,
          ["tool"],
          `The server ${code(server)} is limited to ${listed(found.tools, "and")}, and ${code(tool)} is not among them.${didYouMean(suggestions)} Add it to the server's \`tools\`, or leave \`tools\` out to allow all.`,
          { suggestions },
        );
      }
    }
  },
});
