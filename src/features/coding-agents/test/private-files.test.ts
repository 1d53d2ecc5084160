// The user's keys and logins: neither the agent's commands nor its own tools read them, under every sandbox but full.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, inTurn, oneStep, REAL_AGENTS, told } from "./workshop.ts";

const play = codingPlayground();

const KEYS = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".config/gcloud/tokens.db",
  ".netrc",
  ".npmrc",
  ".docker/config.json",
  ".local/share/fish/fish_history",
  ".config/nushell/history.sqlite3",
  ".gemini/oauth_creds.json",
  ".codex/config.toml",
  ".claude/settings.json",
];

/** What people write there. */
const PROFILES = [".bashrc", ".bash_profile", ".profile", ".zshrc"];

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "on a machine with keys", () => {
    // Under read-only Claude's commands do not look outside of the folder at all.
    const sandboxes = agent === "codex" ? ["workspace", "read-only"] : ["workspace"];
    it.skipIf(!hasSandbox).each(sandboxes)("reads none of them under %s", async (sandbox) => {
      const at = play();
      for (const path of [...KEYS, "notes.txt"]) {
        mkdirSync(dirname(join(at.folder, path)), { recursive: true });
        writeFileSync(join(at.folder, path), `content-of-${path}\n`);
      }
      for (const path of PROFILES)
        writeFileSync(
          join(at.folder, path),
          `export MY_KEY=content-of-${path}\nexported() { echo content-of-${path}; }\nalias aliased='echo content-of-${path}'\n`,
        );
      const named = join(at.folder, "service-account.json");
      writeFileSync(named, "content-of-account\n");
      at.session.env.GOOGLE_APPLICATION_CREDENTIALS = named;
      const files = ["notes.txt", ...KEYS, ...PROFILES, "service-account.json"].map((path) => join(at.folder, path));
      const reads =
        agent === "codex" ? [] : files.map((file_path) => ({ tools: [{ name: "Read", input: { file_path } }] }));
      at.play = inTurn({ tools: [command(`env; set; exported; aliased; cat ${files.join(" ")}`)] }, ...reads, "done");
      at.write({ "main.yaml": oneStep({ agent, model }, `prompt: Go., sandbox: ${sandbox}`) });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      const said = JSON.stringify(told(events, "agent_tool_complete").map((one) => one.result));
      expect(said.match(/content-of-[\w./-]*/g) ?? []).toEqual(["content-of-notes.txt"]);
    });
  });
