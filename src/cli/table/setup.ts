// Commands around the work: a first workflow, health, completion, and the other faces.
import type { CommandSpec } from "../command.ts";
import { ON } from "./everywhere.ts";

export const initCommand: CommandSpec = {
  name: "init",
  summary: "write a small workflow with an error route, and a scenario that tests it",
  arguments: [{ name: "dir", about: "where (default: here)" }],
  examples: [{ line: "segno init my-flow", about: "" }],
  load: () => import("../commands/init.ts"),
};

export const doctorCommand: CommandSpec = {
  name: "doctor",
  summary: "check node, store, providers, keys, MCP servers",
  about:
    "Changes nothing unless --reindex is given, and starts nothing unless --start is. With a workflow file: also the keys that its agents need, and which MCP servers it has.",
  arguments: [{ name: "file", about: "a workflow file" }],
  options: [
    { flags: "--start", about: "start the MCP servers of the file, which runs what it names, and ask for their tools" },
    {
      flags: "--reindex",
      about: "make the index of runs anew from their folders, when state.db was lost or damaged",
    },
  ],
  examples: [
    { line: "segno doctor", about: "this machine and the store" },
    { line: "segno doctor release.yaml", about: "and what this file needs" },
    { line: "segno doctor release.yaml --start", about: "and whether its MCP servers start" },
    { line: "segno doctor --reindex", about: "runs are there, and `segno runs` does not show them" },
  ],
  load: () => import("../commands/doctor.ts"),
};

export const completionCommand: CommandSpec = {
  name: "completion",
  summary: "print a completion script for your shell",
  arguments: [{ name: "shell", about: "which shell", required: true, choices: ["bash", "zsh", "fish"] }],
  examples: [
    { line: "source <(segno completion bash)", about: "bash: also in ~/.bashrc" },
    { line: 'segno completion zsh > "$' + '{fpath[1]}/_segno"', about: "zsh" },
    { line: "segno completion fish > ~/.config/fish/completions/segno.fish", about: "fish" },
  ],
  load: () => import("../commands/completion.ts"),
};

export const mcpCommand: CommandSpec = {
  name: "mcp",
  summary: "serve workflows to coding agents over MCP",
  options: [
    ON,
    { flags: "--http", about: "streamable HTTP instead of stdio" },
    { flags: "--port <n>", about: "the port for --http", atLeast: 0 },
    { flags: "--root <dir>", about: "only workflow files below this can be run", many: true },
    { flags: "--allow-gate-answers", about: "let agents answer gates" },
  ],
  examples: [
    { line: "segno mcp --root workflows", about: "on stdio, for the configuration of a coding agent" },
    { line: "segno mcp --http --port 7777", about: "over HTTP; prints the address and the token" },
  ],
  load: () => import("../commands/mcp.ts"),
};
