// Commands of a fleet (many machines that share one Postgres), and those around the work: a first workflow, health,
// completion, and the other faces.
import { type CommandSpec, HIGHEST_PORT, ON } from "../command.ts";

export const SETUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "write a small workflow with an error route, and a scenario that tests it",
    arguments: [{ name: "dir", about: "where (default: here)" }],
    options: [
      { flags: "--project", about: "also a segno.yaml, and a plugin with a step type of your own" },
      { flags: "--template <name>", about: "a workflow of the gallery instead, with its scenarios" },
      { flags: "--list", about: "only list the gallery" },
    ],
    examples: [
      { line: "segno init my-flow", about: "" },
      { line: "segno init --list", about: "workflows from real use" },
      { line: "segno init imports --template nightly-import", about: "one of them" },
      { line: "segno init my-project --project", about: "a project: own step types, triggers, people" },
    ],
    isOutside: true,
    load: async () => (await import("../commands/setup.ts")).init,
  },
  {
    name: "trust",
    summary: "let a project act: load its plugins, drive its triggers, send what its segno.yaml says",
    about:
      "Shows what would be executed and sent, and asks. What is remembered, in ~/.segno/trusted.json whatever SEGNO_HOME says, is the digest of segno.yaml, of its triggers, of its plugins and of the files and packages that they take in: when one of them changes, it asks again, and nothing else is loaded. Without it a project runs and sends nothing by itself. docs/security.md says what trust covers and what it does not.",
    options: [
      { flags: "-y, --yes", about: "do not ask" },
      { flags: "--revoke", about: "take it back" },
      { flags: "--list", about: "list the projects that are trusted" },
    ],
    examples: [
      { line: "segno trust", about: "look, and decide" },
      { line: "segno trust --yes", about: "in CI, where the repository is yours" },
    ],
    isOutside: true,
    load: async () => (await import("../commands/setup.ts")).trustCommand,
  },
  {
    name: "doctor",
    summary: "check node, store, providers, keys, MCP servers",
    about:
      "Changes nothing unless --reindex is given, and starts nothing unless --start is. With a workflow file: also the keys that its agents need, and which MCP servers it has.",
    arguments: [{ name: "file", about: "a workflow file" }],
    options: [
      {
        flags: "--start",
        about: "start the MCP servers of the file, which runs what it names, and ask for their tools",
      },
      {
        flags: "--reindex",
        about: "make the index of runs anew from their folders, when index.db or state.db was lost or damaged",
      },
      { flags: "--licenses", about: "only list the packages that are part of Segno, with their licences" },
      ON,
    ],
    examples: [
      { line: "segno doctor", about: "this machine and the store" },
      { line: "segno doctor release.yaml", about: "and what this file needs" },
      { line: "segno doctor release.yaml --start", about: "and whether its MCP servers start" },
      { line: "segno doctor --reindex", about: "runs are there, and `segno runs` does not show them" },
      { line: "segno doctor --licenses --output-format json", about: "the bill of materials, as CycloneDX" },
      {
        line: "segno doctor --on postgres://segno@db/segno",
        about: "and whether a fleet can be reached, and has workers",
      },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/setup.ts")).doctorCommand,
  },
  {
    name: "completion",
    summary: "print a completion script for your shell",
    arguments: [
      { name: "shell", about: "which shell", required: true, choices: ["bash", "zsh", "fish", "powershell"] },
    ],
    examples: [
      { line: "source <(segno completion bash)", about: "bash: also in ~/.bashrc" },
      { line: 'segno completion zsh > "$' + '{fpath[1]}/_segno"', about: "zsh" },
      { line: "segno completion fish > ~/.config/fish/completions/segno.fish", about: "fish" },
      {
        line: "segno completion powershell > segno.ps1",
        about: "PowerShell: read it in $PROFILE with `. ./segno.ps1`",
      },
    ],
    isOutside: true,
    load: async () => (await import("../commands/completion.ts")).completion,
  },
  {
    name: "serve",
    summary: "serve a web page over all runs, live",
    about:
      "Prints the address to open; the token in it lets you in. Runs that are started from the page are driven here: Ctrl-C stops them, and they can be resumed; runs of triggers are released, and another server, or the next one here, goes on with them. To be reached from other machines it needs a token of your own in SEGNO_SERVE_TOKEN.",
    options: [
      ON,
      { flags: "--port <n>", about: "the port (default 4747); 0 takes any", atLeast: 0, atMost: HIGHEST_PORT },
      { flags: "--host <address>", about: "where to listen (default 127.0.0.1)" },
      {
        flags: "--root <dir>",
        about: "only workflow files below this can be started, and only their runs are shown (default: here)",
      },
      { flags: "--read-only", about: "show everything, change nothing" },
      { flags: "--public-url <url>", about: "the address that people use, when a proxy stands before it" },
      { flags: "--open", about: "open it in the browser" },
    ],
    examples: [
      { line: "segno serve --open", about: "the runs of this folder's workflows, in the browser" },
      { line: "segno serve --root workflows --read-only", about: "to look, not to touch" },
      {
        line: "segno serve --host 0.0.0.0 --public-url https://segno.example.com",
        about: "behind a proxy, with SEGNO_SERVE_TOKEN in the environment",
      },
    ],
    load: async () => (await import("../commands/faces.ts")).serveCommand,
  },
  {
    name: "mcp",
    summary: "serve workflows to coding agents over MCP",
    options: [
      ON,
      { flags: "--http", about: "streamable HTTP instead of stdio" },
      { flags: "--port <n>", about: "the port for --http; any free one by default", atLeast: 0, atMost: HIGHEST_PORT },
      { flags: "--root <dir>", about: "only workflow files below this can be run", many: true },
      { flags: "--allow-gate-answers", about: "let agents answer gates, and ask their users" },
      { flags: "--tools", about: "workflows with `mcp: {tool: true}` are tools of their own" },
    ],
    examples: [
      { line: "segno mcp --root workflows", about: "on stdio, for the configuration of a coding agent" },
      { line: "segno mcp --http --port 7777", about: "over HTTP; prints the address and the token" },
    ],
    load: async () => (await import("../commands/faces.ts")).mcpCommand,
  },
  {
    name: "lsp",
    summary: "serve an editor: findings while you type, completion, rename, quick fixes",
    about:
      "The Language Server Protocol on stdio. The editor starts it; docs/editor.md has the lines for each. It executes nothing of a file, and uses no network.",
    options: [{ flags: "--stdio", about: "the default; accepted because editors pass it" }],
    examples: [{ line: "segno lsp", about: "for the configuration of an editor" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/faces.ts")).lspCommand,
  },
];

export const FLEET_COMMANDS: readonly CommandSpec[] = [
  {
    name: "worker",
    summary: "drive the runs of a fleet",
    about:
      "Takes runs that were started with --on, any number of workers on any number of machines. On SIGTERM or Ctrl-C it takes nothing more, lets steps end (30 s), and leaves the rest to the others. In a trusted project it also drives the project's triggers.",
    options: [
      ON,
      { flags: "--cell <name>", about: "of a fleet that is made of cells: the one that it serves" },
      { flags: "--concurrency <n>", about: "how many runs at a time (default 8)", atLeast: 1 },
      { flags: "--id <name>", about: "a name for lists (default: host and process)" },
      {
        flags: "--port <n>",
        about:
          "take webhooks at /hooks/… and serve metrics at /metrics there, with SEGNO_SERVE_TOKEN (default: neither)",
        atLeast: 0,
        atMost: HIGHEST_PORT,
      },
      { flags: "--host <address>", about: "where to listen (default 127.0.0.1)" },
    ],
    examples: [
      { line: "segno worker --on postgres://segno@db/segno", about: "until it is stopped" },
      { line: "segno worker --host 0.0.0.0 --port 9464", about: "with webhooks and metrics" },
    ],
    load: async () => (await import("../../../features/fleet/cli/commands.ts")).worker,
  },
  {
    name: "workers",
    summary: "list the workers of a fleet, and what each holds",
    options: [ON],
    examples: [{ line: "segno workers --on postgres://segno@db/segno", about: "who is there, and what waits" }],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/fleet/cli/commands.ts")).workers,
  },
  {
    name: "workers drain",
    summary: "ask a worker to hand over what it drives, and to leave",
    arguments: [{ name: "id", about: "a worker's id, or its first characters", required: true }],
    options: [ON],
    examples: [
      { line: "segno workers drain build-7 --on postgres://segno@db/segno", about: "before its machine goes" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/fleet/cli/commands.ts")).workersDrain,
  },
];
