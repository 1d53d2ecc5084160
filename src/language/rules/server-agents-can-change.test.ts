import { flow, ruleCases } from "../../../test/support/rule-cases.ts";

const file = (server: string, runtime = "working_dir: project", step = ""): string =>
  flow(`  - { name: a, prompt: p${step} }`, {
    section: `runtime: { provider: codex, ${runtime}, mcp_servers: { desk: ${server} } }`,
  });

ruleCases("server-agents-can-change", [
  {
    name: "finds a script among the arguments that lies in an agent's folder",
    files: file("{ command: node, args: [project/desk.mjs] }"),
    lines: [1],
    message: /`a` may change `project\/desk\.mjs`, which the server `desk` runs/,
  },
  {
    name: "finds a program that lies there, also by an absolute path",
    files: file("{ command: /w/project/bin/desk }"),
    lines: [1],
  },
  {
    name: "counts from the server's own folder",
    files: file("{ command: python3, args: [desk.py], working_dir: project/servers }"),
    lines: [1],
    message: /`project\/servers\/desk\.py`/,
  },
  {
    name: "finds what an option names",
    files: file('{ command: node, args: ["--import=./project/x.mjs"] }'),
    lines: [1],
  },
  {
    name: "knows that an agent without a folder works in the file's",
    files: file("{ command: node, args: [desk.mjs] }", "timeout: 60"),
    lines: [1],
  },
  {
    name: "finds servers of a step, where another agent may change them",
    files: flow(
      `  - { name: a, prompt: p, working_dir: project, routes: [{ to: b }] }
  - { name: b, prompt: p, provider: anthropic, mcp_servers: { desk: { command: node, args: [project/desk.mjs] } } }`,
      { section: "runtime: { provider: codex }" },
    ),
    lines: [4],
    message: /the agent `a`/,
  },
  { name: "is silent about programs beside the folder", files: file("{ command: node, args: [desk.mjs] }"), lines: [] },
  {
    name: "is silent about folders that are data",
    files: file("{ command: files, args: [./project, project/a.md] }"),
    lines: [],
  },
  { name: "is silent about programs that are installed", files: file("{ command: npx, args: [-y, desk] }"), lines: [] },
  {
    name: "is silent about an agent that only reads",
    files: file("{ command: node, args: [project/desk.mjs] }", "working_dir: project", ", sandbox: read-only"),
    lines: [],
  },
  {
    name: "is silent about an agent that nothing confines anyway",
    files: file("{ command: node, args: [project/desk.mjs] }", "working_dir: project", ", sandbox: full"),
    lines: [],
  },
  {
    name: "is silent about models, which change no files",
    files: file("{ command: node, args: [project/desk.mjs] }", "working_dir: project", ", provider: openai"),
    lines: [],
  },
  {
    name: "is silent about folders that are known only when it runs",
    files: file("{ command: node, args: [project/desk.mjs] }", 'working_dir: "{{ workflow.input.x }}"'),
    lines: [],
  },
]);
