// MCP servers that one agent step brings along: its agent has their tools, others do not, and Segno calls them. None starts
// in the folder of the agent, where a repository could bring its own.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type AgentName, codingPlayground, describeAgent, told } from "./workshop.ts";

const play = codingPlayground();

const server = new URL("../../../../test/compat/mcp-server.mjs", import.meta.url).pathname;
const started = "{ command: node, args: [srv.mjs] }";
const elsewhere = "{ command: node, args: [../srv.mjs], working_dir: other }";

const PROVIDERS: Readonly<Record<AgentName, () => string>> = {
  "claude-agent-sdk": () => "claude-agent-sdk",
  codex: () => "codex",
  copilot: () =>
    `{ name: copilot, type: openai, wire_api: completions, base_url: "${play().fake.url}/v1", api_key: nobody }`,
};

const file = (agent: AgentName): string => `
workflow:
  name: code
  entry_point: fix
  runtime:
    provider: ${PROVIDERS[agent]()}
    default_model: ${agent === "claude-agent-sdk" ? "claude-sonnet-4-5" : "gpt-5"}
    working_dir: work
    mcp_servers: { desk: ${started}, shelf: { command: segno-has-no-such-program } }
agents:
  - { name: fix, prompt: Look., mcp_servers: { own: ${started}, shelf: ${elsewhere} }, routes: [{ to: more }] }
  - { name: more, prompt: Look again., tools: [desk] }
`;

const names = (tools: readonly { readonly name: string }[]): string[] =>
  tools.flatMap(({ name }) => /(?:desk|own|shelf)__search$/.exec(name)?.[0] ?? []).sort();

for (const agent of Object.keys(PROVIDERS) as AgentName[])
  describeAgent(agent, "with MCP servers of its step", () => {
    it("has their tools besides the file's, they are its own, and nothing of the repository starts them", async () => {
      const at = play();
      const escaped = join(at.folder, "escaped.txt");
      copyFileSync(server, join(at.folder, "srv.mjs"));
      mkdirSync(join(at.folder, "other"));
      at.write({
        "main.yaml": file(agent),
        "work/srv.mjs": `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(escaped)}, "");`,
      });
      const offered: string[][] = [];
      at.play = ({ results, tools, prompt }) => {
        const isSecond = prompt.includes("Look again.");
        if (isSecond || results.length === 0) offered.push(names(tools));
        const wanted = isSecond ? undefined : ["own__search", "shelf__search"][results.length];
        const tool = wanted && tools.find(({ name }) => name.endsWith(wanted));
        return tool ? { tools: [{ name: tool.name, input: { query: "bridges" } }] } : "seen";
      };
      const { result, events } = await at.run("main.yaml");
      expect(result).toMatchObject({ status: "completed" });
      expect(offered).toEqual([["desk__search", "own__search", "shelf__search"], ["desk__search"]]);
      expect(told(events, "agent_tool_complete")).toMatchObject([
        { agent_name: "fix", tool_name: "own__search", result: `a page about bridges, in ${at.folder}` },
        {
          agent_name: "fix",
          tool_name: "shelf__search",
          result: `a page about bridges, in ${join(at.folder, "other")}`,
        },
      ]);
      expect(existsSync(escaped)).toBe(false);
    });
  });
