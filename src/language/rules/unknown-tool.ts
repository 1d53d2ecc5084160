// unknown-tool: an agent may use tools that the file lists, or those of an MCP server by its name.
import { closest } from "./closest.ts";
import { defineRule } from "./rule.ts";
import { code, didYouMean, listed } from "./wording.ts";

/** `server__tool` names a tool of a server without its being listed. */
const serverOf = (tool: string): string | undefined => (tool.includes("__") ? tool.split("__", 1)[0] : undefined);

export const unknownTool = defineRule({
  name: "unknown-tool",
  severity: "error",
  description:
    "The `tools` of an agent are among the file's `tools`, or are named `server__tool` after one of its MCP servers.",
  example: "tools: [web_search]\nagents:\n  - { name: a, prompt: …, tools: [web_serch] }",
  *check(context) {
    const { tools, workflow } = context.workflow.definition;
    const servers = Object.keys(workflow.runtime?.mcp_servers ?? {});
    for (const node of context.facts.nodes.all) {
      if (node.kind !== "step" || node.step.type !== "agent") continue;
      for (const [index, tool] of (node.step.tools ?? []).entries()) {
        if (tool === "*" || tools.includes(tool)) continue;
        const server = serverOf(tool);
        if (server !== undefined && servers.includes(server)) continue;
        const suggestions = closest(tool, [...tools, ...servers.map((name) => `${name}__${tool.split("__").at(-1)}`)]);
        const listing =
          tools.length > 0 ? `The file's \`tools\` are ${listed(tools, "and")}.` : "The file has no `tools`.";
        yield context.finding(
          [...node.path, "tools", index],
          `${code(tool)} is not a tool of this file.${didYouMean(suggestions)} ${listing} Add it there, or name it \`server__tool\` after an MCP server${servers.length > 0 ? `: ${listed(servers)}` : ""}.`,
          { node: node.name, suggestions },
        );
      }
    }
  },
});
