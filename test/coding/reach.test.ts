// How far an agent's commands reach, and whose instructions it reads: `network` and `settings`.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type AgentName,
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
} from "./workshop.ts";

const play = codingPlayground();

const AGENTS = [
  [
    "claude-agent-sdk",
    "claude-sonnet-4-5",
    (command: string) => ({ name: "Bash", input: { command, description: "try" } }),
  ],
  ["codex", "gpt-5", (command: string) => ({ name: "exec_command", input: { cmd: command, yield_time_ms: 20_000 } })],
] as const satisfies readonly (readonly [AgentName, string, (command: string) => object])[];

const file = (agent: AgentName, model: string, step: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: ${agent}, default_model: ${model}, working_dir: work }
agents:
  - { name: fix, prompt: Look around., ${step} }
`;

/** A server of this machine, and how often it was asked while something ran. */
async function visitsDuring(run: (url: string) => Promise<unknown>, socket?: string): Promise<number> {
  let visits = 0;
  const server = createServer((_, response) => {
    visits += 1;
    response.end("here");
  });
  const place = socket === undefined ? { port: 0, host: "127.0.0.1" } : { path: socket };
  await new Promise<void>((resolve) => server.listen(place, resolve));
  const address = server.address() as AddressInfo | string;
  try {
    await run(typeof address === "string" ? address : `http://127.0.0.1:${address.port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return visits;
}

const heard = (at: CodingPlayground): string => JSON.stringify(at.requests.map(({ body }) => body));

for (const [agent, model, command] of AGENTS) {
  describeAgent(agent, "and the network", () => {
    it.skipIf(!hasSandbox).each([
      ["do not reach it by default", "sandbox: workspace", 0],
      ["reach it with network: true", "network: true", 1],
    ])("commands %s", async (_, step, visits) => {
      const at = play();
      const seen = await visitsDuring(async (url) => {
        // By the proxy where the sandbox has one.
        at.play = inTurn(
          { tools: [command(`curl -s -m 10 --noproxy '' ${url} > got.txt; echo tried > tried.txt`)] },
          "done",
        );
        at.write({ "main.yaml": file(agent, model, step) });
        expect((await at.run("main.yaml")).result.status).toBe("completed");
      });
      expect(at.files()).toContain("tried.txt");
      expect(seen).toBe(visits);
    });
  });

  describeAgent(agent, "and unix sockets", () => {
    it.skipIf(!hasSandbox).each([
      ["sandbox: workspace", 0],
      ["network: true", 0],
      ["sandbox: full", 1],
    ])("commands speak to none but under full: %s", async (step, visits) => {
      const at = play();
      const socket = join(at.folder, "docker.sock");
      const seen = await visitsDuring(async () => {
        at.play = inTurn(
          { tools: [command(`curl -s -m 10 --unix-socket ${socket} http://x/ > got.txt; echo tried > tried.txt`)] },
          "done",
        );
        at.write({ "main.yaml": file(agent, model, step) });
        expect((await at.run("main.yaml")).result.status).toBe("completed");
      }, socket);
      expect(at.files()).toContain("tried.txt");
      expect(seen).toBe(visits);
    });
  });

  describeAgent(agent, "and its user's settings", () => {
    it.each([
      ["project", false],
      ["user", true],
    ])("settings: %s reads instructions and servers from the user's home: %s", async (settings, isRead) => {
      const at = play();
      const server = new URL("../compat/mcp-server.mjs", import.meta.url).pathname;
      const mine = { command: process.execPath, args: [server] };
      at.surroundings.env.HOME = join(at.folder, "user");
      for (const folder of [".claude", ".codex"]) mkdirSync(join(at.folder, "user", folder), { recursive: true });
      at.write({
        "user/.claude/CLAUDE.md": "Spaces-are-used-by-this-person.\n",
        "user/.codex/AGENTS.md": "Spaces-are-used-by-this-person.\n",
        "user/.claude.json": JSON.stringify({ mcpServers: { mine }, oauthAccount: { emailAddress: "a@b" } }),
        "user/.codex/config.toml": `model = "other"\n[mcp_servers.mine]\ncommand = ${JSON.stringify(mine.command)}\nargs = ${JSON.stringify(mine.args)}\n`,
        "main.yaml": file(agent, model, `settings: ${settings}`),
      });
      expect((await at.run("main.yaml")).result.errors).toEqual([]);
      expect(heard(at).includes("Spaces-are-used-by-this-person.")).toBe(isRead);
      expect(/mcp__mine/.test(heard(at))).toBe(isRead);
    });
  });

  describeAgent(agent, "and the repository's instructions", () => {
    it.each([
      ["none", false],
      ["project", true],
    ])("settings: %s reads them: %s", async (settings, isRead) => {
      const at = play();
      for (const name of ["AGENTS.md", "CLAUDE.md"])
        writeFileSync(join(at.work, name), "Tabs-are-used-in-this-house.\n");
      at.write({ "main.yaml": file(agent, model, `settings: ${settings}`) });
      expect((await at.run("main.yaml")).result.status).toBe("completed");
      expect(heard(at).includes("Tabs-are-used-in-this-house.")).toBe(isRead);
    });
  });
}
