// Where the MCP servers of a file start: not in the folder of the agent, where a repository could bring its own.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();
const server = new URL("../compat/mcp-server.mjs", import.meta.url).pathname;

for (const { agent, model } of REAL_AGENTS)
  describeAgent(agent, "with MCP servers of its file", () => {
    it("has them started in the file's folder, or where they say, and by nothing of the repository", async () => {
      const at = play();
      copyFileSync(server, join(at.folder, "srv.mjs"));
      mkdirSync(join(at.folder, "other"));
      const escaped = join(at.folder, "escaped.txt");
      writeFileSync(join(at.work, "srv.mjs"), `require("node:fs").writeFileSync(${JSON.stringify(escaped)}, "")`);
      const servers = `mcp_servers: { shelf: { command: node, args: [srv.mjs] }, other: { command: node, args: [../srv.mjs], working_dir: other } }`;
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go.", `, ${servers}`) });
      at.play = ({ results, tools }) => {
        const wanted = ["shelf__search", "other__search"][results.length];
        const tool = wanted && tools.find(({ name }) => name.endsWith(wanted));
        return tool ? { tools: [{ name: tool.name, input: { query: "x" } }] } : "done";
      };
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expect(told(events, "agent_tool_complete").map((one) => one.result)).toEqual([
        `a page about x, in ${at.folder}`,
        `a page about x, in ${join(at.folder, "other")}`,
      ]);
      expect(existsSync(escaped)).toBe(false);
    });
  });
