// Programs in the agent's own folder that PATH names, as `npx` has it: what starts the agent, and what puts its commands into
// a sandbox, must not be found there.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
  oneStep,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const PROGRAMS = ["bwrap", "socat", "git", "node", "rg", "bash", "sh", "codex-linux-sandbox"];

/** Does what it should, after it has left a word where no agent may write. */
const planted = (escaped: string): string => `#!/bin/sh\necho "$0" >> ${escaped}\nexec /usr/bin/"\${0##*/}" "$@"\n`;

function plant(at: CodingPlayground): string {
  execFileSync("git", ["init", "-q", at.work]);
  const escaped = join(at.folder, "escaped.txt");
  const bin = join(at.work, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  for (const name of PROGRAMS) writeFileSync(join(bin, name), planted(escaped), { mode: 0o755 });
  const link = join(at.folder, "elsewhere");
  symlinkSync(bin, link);
  at.session.env.PATH = [bin, link, "node_modules/.bin", "", process.env.PATH].join(":");
  return escaped;
}

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "with its own folder first in PATH", () => {
    it.skipIf(!hasSandbox)("is not let out by the programs in it", async () => {
      const at = play();
      const escaped = plant(at);
      at.play = inTurn(
        { tools: [command("echo one > one.txt")] },
        { tools: [command("git --version; echo $PATH")] },
        "ok",
      );
      at.write({ "main.yaml": oneStep({ agent, model }, "prompt: Go.") });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expect(existsSync(join(at.work, "one.txt"))).toBe(true);
      expect(existsSync(escaped) ? readFileSync(escaped, "utf8") : "").toBe("");
      const [, said] = told(events, "agent_tool_complete").map((one) => JSON.stringify(one.result));
      expect(said).toContain("/usr/bin");
      for (const folder of [join(at.work, "node_modules/.bin"), join(at.folder, "elsewhere"), "::"])
        expect(said).not.toContain(folder);
    });

    // How later steps find their programs has nothing to do with who was there before them.
    if (agent !== "codex") return;
    it.skipIf(!hasSandbox)("does not put its own programs in the place of those that later steps start", async () => {
      const at = play();
      const bin = join(at.work, "node_modules/.bin");
      at.session.env.PATH = [bin, process.env.PATH].join(":");
      const write = (name: string) =>
        `printf '#!/bin/sh\\necho planted\\n' > node_modules/.bin/${name}; chmod +x node_modules/.bin/${name}`;
      at.play = inTurn(
        { tools: [command(`mkdir -p node_modules/.bin; ${write("node")}; ${write("own-tool")}`)] },
        "ok",
      );
      at.write({
        "main.yaml": `${oneStep({ agent, model }, "prompt: Go., routes: [{ to: version }]")}
  - { name: version, type: script, command: node, args: [--version], routes: [{ to: own }] }
  - { name: own, type: script, command: own-tool }
output: { version: "{{ version.output.stdout | trim }}", own: "{{ own.output.stdout | trim }}" }
`,
      });
      const { result } = await at.run("main.yaml");
      // What is nowhere else is still found there.
      expect(result).toMatchObject({ status: "completed", output: { version: process.version, own: "planted" } });
    });

    it.skipIf(!hasSandbox)(
      "nor in a folder of PATH that did not exist yet, in a resume of its run either",
      async () => {
        const at = play();
        at.session.env.PATH = [join(at.work, ".venv/bin"), process.env.PATH].join(":");
        const plant =
          "mkdir -p .venv/bin; printf '#!/bin/sh\\necho planted\\n' > .venv/bin/git; chmod +x .venv/bin/git";
        at.play = inTurn({ tools: [command(plant)] }, "ok");
        const version = `{ name: NAME, type: script, command: git, args: [--version], routes: [{ to: NEXT }] }`;
        at.write({
          "main.yaml": `
workflow: { name: code, entry_point: fix, input: { folder: { type: string } }, runtime: { provider: ${agent}, default_model: ${model} } }
agents:
  - { name: fix, prompt: Go., working_dir: "{{ workflow.input.folder }}", routes: [{ to: first }] }
  - ${version.replace("NAME", "first").replace("NEXT", "ready")}
  - { name: ready, type: script, command: cat, args: [ready], routes: [{ when: "{{ ready.output.exit_code == 0 }}", to: second }, { to: stop }] }
  - { name: stop, type: script, command: no-such-command }
  - ${version.replace("NAME", "second").replace("NEXT", "$end")}
output: { first: "{{ first.output.stdout }}", second: "{{ second.output.stdout }}" }
`,
        });
        const { result } = await at.run("main.yaml", { inputs: { folder: { value: at.work } } });
        expect(existsSync(join(at.work, ".venv/bin/git"))).toBe(true);
        expect(result.status).toBe("failed");
        at.write({ ready: "" });
        const resumed = await at.resume(result.run_id ?? "", { from: "ready" });
        const real = expect.stringContaining("git version");
        expect(resumed.result).toMatchObject({ status: "completed", output: { first: real, second: real } });
      },
    );
  });
