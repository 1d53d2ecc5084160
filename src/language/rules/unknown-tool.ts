import { stepNodes } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

/** `server__tool` names a tool of a server without its being listed. */
const serverOf = (tool: string): string | undefined => (tool.includes("__") ? tool.split("__", 1)[0] : undefined);

export const unknownTool = defineRule({
  name: "unknown-tool",
  severity: "error",
  description:
    "The `tools` of an agent are among the file's `tools`, or are an MCP server of the file or of the agent, or `server__tool` after one.",
  example: "tools: [web_search]\nsteps:\n  - { name: a, prompt: …, tools: [web_serch] }",
  *check(context) {
    const { tools, workflow } = context.workflow.definition;
    for (const node of stepNodes(context, "agent")) {
      const offered = { ...workflow.runtime?.mcp_servers, ...node.step.mcp_servers };
      const servers = Object.keys(offered);
      const allowed = Object.values(offered).flatMap((server) => server.tools ?? []);
      for (const [index, tool] of (node.step.tools ?? []).entries()) {
        if (tool === "*" || [...tools, ...servers, ...allowed].includes(tool)) continue;
        const server = serverOf(tool);
        if (server !== undefined && servers.includes(server)) continue;
        const suggestions = closest(tool, [...tools, ...servers.map((name) => `${name}__${tool.split("__").at(-1)}`)]);
        const listing =
          tools.length > 0 ? `The file's \`tools\` are ${listed(tools, "and")}.` : "The file has no `tools`.";
        yield context.about(
          node,
          ["tools", index],
          `${code(tool)} is not a tool of this file.${didYouMean(suggestions)} ${listing} Add it there, or name an MCP server or its \`server__tool\`${servers.length > 0 ? `: ${listed(servers)}` : ""}.`,
          { suggestions },
        );
      }
    }
  },
});
