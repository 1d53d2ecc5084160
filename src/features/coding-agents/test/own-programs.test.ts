// Segno and the agents installed in the very folder that an agent works in: it cannot change what the next step starts.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ownProgramsIn } from "../task.ts";
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

const HELD = [
  "node_modules/segno/dist/main.cjs",
  "node_modules/segno/package.json",
  "node_modules/yaml/index.js",
  "node_modules/@openai/codex/package.json",
  "node_modules/@openai/codex-linux-arm64/vendor/any/bin/codex",
  "node_modules/@anthropic-ai/claude-agent-sdk/package.json",
  "node_modules/@github/copilot-sdk/package.json",
  "node_modules/.bin/segno",
];
const OWN = ["node_modules/eslint/index.js", "node_modules/.vite/results.json"];

const MANIFESTS: Readonly<Record<string, unknown>> = {
  segno: { name: "segno", dependencies: { yaml: "*" } },
  yaml: { name: "yaml" },
  "@openai/codex": { name: "@openai/codex", optionalDependencies: { "@openai/codex-linux-arm64": "*" } },
  "@openai/codex-linux-arm64": { name: "@openai/codex" },
  "@anthropic-ai/claude-agent-sdk": { name: "@anthropic-ai/claude-agent-sdk" },
  "@github/copilot-sdk": { name: "@github/copilot-sdk" },
  eslint: { name: "eslint" },
};

/** The packages of a project, by their names only, in the folder that the agent works in. */
function install(at: CodingPlayground): void {
  for (const [name, manifest] of Object.entries(MANIFESTS)) {
    const folder = join(at.work, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  }
  for (const file of [...HELD, ...OWN].filter((one) => !one.endsWith("package.json"))) {
    mkdirSync(dirname(join(at.work, file)), { recursive: true });
    writeFileSync(join(at.work, file), "as it was\n");
  }
}

it("are the packages with what they load, and the folders of programs, inside of the folder alone", () => {
  const at = play();
  install(at);
  const held = ownProgramsIn(at.work, join(at.work, "flows"), {
    PATH: `${join(at.work, "node_modules/.bin")}:/usr/bin`,
  });
  const names = ["segno", "yaml", "@openai/codex", "@openai/codex-linux-arm64", "@github/copilot-sdk", ".bin"];
  expect(held.sort()).toEqual(
    [...names, "@anthropic-ai/claude-agent-sdk"].map((name) => join(at.work, "node_modules", name)).sort(),
  );
  expect(ownProgramsIn(join(at.work, "node_modules/segno"), at.work, {})).toEqual([]);
});

/** The agent itself is installed above: only the others' packages are names without contents. */
const PACKAGE_OF: Readonly<Record<string, string>> = { "claude-agent-sdk": "@anthropic-ai", codex: "@openai" };

for (const { agent, model, command } of REAL_AGENTS)
  describeAgent(agent, "in a project with Segno and agents installed", () => {
    it.skipIf(!hasSandbox)("changes none of them, and what else is installed as it likes", async () => {
      const at = play();
      install(at);
      const scope = join("node_modules", PACKAGE_OF[agent] ?? "");
      rmSync(join(at.work, scope), { recursive: true });
      const held = HELD.filter((file) => !file.startsWith(scope));
      const contents = (files: readonly string[]): string[] =>
        files.map((file) => readFileSync(join(at.work, file), "utf8"));
      const before = contents(held);
      const tries = [
        ...held.flatMap((file) => [`echo evil >> ${file}`, `echo evil > new && mv -f new ${file}`]),
        "mv node_modules/segno node_modules/away; mkdir -p node_modules/segno/dist; echo evil > node_modules/segno/dist/main.cjs",
        "echo evil > node_modules/.bin/node",
        "mv node_modules away",
        "mv node_modules/@github node_modules/@away",
        ...OWN.map((file) => `echo changed > ${file}`),
      ];
      const edited = join(at.work, "node_modules/segno/dist/edited.cjs");
      at.play = inTurn(
        { tools: [command(`${tries.map((one) => `(${one})`).join("; ")}; true`)] },
        ...(agent === "codex" ? [] : [{ tools: [{ name: "Write", input: { file_path: edited, content: "evil" } }] }]),
        "done",
      );
      writeFileSync(
        join(at.work, "main.yaml"),
        oneStep({ agent, model }, "prompt: Go.").replace("working_dir: work", "working_dir: ."),
      );
      const { result, events } = await at.run("work/main.yaml");
      expect(result.errors).toEqual([]);
      expect(told(events, "agent_tool_complete").length).toBeGreaterThan(0);
      expect(contents(held)).toEqual(before);
      for (const path of ["node_modules/.bin/node", "node_modules/segno/dist/edited.cjs"])
        expect(existsSync(join(at.work, path)), path).toBe(false);
      expect(contents(OWN)).toEqual(["changed\n", "changed\n"]);
    });
  });
