// Whose instructions, skills and servers an agent reads: `settings`. That it reads none with `none`, hostile.test.ts tries.
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, oneStep, REAL_AGENTS } from "./workshop.ts";

const play = codingPlayground();
const server = new URL("../../../../test/compat/mcp-server.mjs", import.meta.url).pathname;
const skill = (name: string): string => `---\nname: ${name}\ndescription: skill-of-${name}\n---\nskill-of-${name}\n`;

for (const one of REAL_AGENTS)
  describeAgent(one.agent, "and whose instructions it reads", () => {
    it.each([
      ["project", true, false],
      ["user", undefined, true],
    ])(
      "settings: %s: the repository's %s, its user's and their servers %s",
      async (settings, isOfProject, isOfUser) => {
        const at = play();
        const mine = { command: process.execPath, args: [server] };
        at.session.env.HOME = `${at.folder}/user`;
        const ofHouse = "Tabs-are-used-in-this-house.\n";
        const ofPerson = "Spaces-are-used-by-this-person.\n";
        at.write({
          "work/AGENTS.md": ofHouse,
          "work/CLAUDE.md": ofHouse,
          "work/.agents/skills/house/SKILL.md": skill("house"),
          "work/.codex/skills/house/SKILL.md": skill("house"),
          "user/.agents/skills/person/SKILL.md": skill("person"),
          "user/.codex/skills/person/SKILL.md": skill("person"),
          "user/.claude/CLAUDE.md": ofPerson,
          "user/.codex/AGENTS.md": ofPerson,
          "user/.claude.json": JSON.stringify({ mcpServers: { mine }, oauthAccount: { emailAddress: "a@b" } }),
          "user/.codex/config.toml": `model = "other"\n[mcp_servers.mine]\ncommand = ${JSON.stringify(mine.command)}\nargs = ${JSON.stringify(mine.args)}\n`,
          "main.yaml": oneStep(one, `prompt: "Look around. $house $person", settings: ${settings}`),
        });
        expect((await at.run("main.yaml")).result.errors).toEqual([]);
        const heard = JSON.stringify(at.requests.map(({ body }) => body));
        const isHeard = (what: string): boolean => heard.includes(what.trim());
        if (isOfProject !== undefined) expect(isHeard(ofHouse)).toBe(isOfProject);
        expect(isHeard(ofPerson)).toBe(isOfUser);
        expect(isHeard("mcp__mine")).toBe(isOfUser);
        // The descriptions of skills.
        if (one.agent === "codex")
          expect(["house", "person"].map((name) => isHeard(`skill-of-${name}`))).toEqual([true, isOfUser]);
      },
    );
  });
