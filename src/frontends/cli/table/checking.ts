// Commands that look at a workflow file before it runs.
import { type CommandSpec, HIGHEST_PORT, ON } from "../command.ts";

const files = { name: "file", about: "workflow files, or folders of them", required: true, many: true };
const file = { name: "file", about: "the workflow file", required: true };

const reporter = {
  flags: "--reporter <name>",
  about: "text by default; for CI: github annotates lines, sarif is for code scanning",
  choices: ["text", "github", "sarif", "junit", "tap"],
};

export const CHECKING_COMMANDS: readonly CommandSpec[] = [
  {
    name: "validate",
    summary: "check workflow files without running anything",
    about:
      "Every finding has a rule, a place and a sentence that says what to do. `segno run` makes the same checks first.",
    arguments: [files],
    options: [
      { flags: "--as-child", about: "the file is only ever called by another: it may propagate errors" },
      { flags: "--strict", about: "warnings count as errors" },
      reporter,
    ],
    examples: [
      { line: "segno validate release.yaml", about: "one file, and the sub-workflows it calls" },
      { line: "segno validate workflows", about: "all workflow files below a folder, and what differs from Conductor" },
      { line: "segno validate workflows/*.yaml --strict", about: "in CI: warnings fail too" },
      { line: "segno validate release.yaml --output-format json", about: "findings for a tool" },
    ],
    load: async () => (await import("../commands/validate.ts")).validate,
  },
  {
    name: "errors",
    summary: "list the errors a workflow can raise, and who handles each",
    about:
      "Shown are the kinds of the workflow itself and those of the servers, models and tools that it calls. Kinds that any step can raise (internal.*, and undeclared ones) are shown where routes try something and then let them go.",
    arguments: [file],
    options: [
      { flags: "--engine", about: "also the kinds that any step can raise" },
      {
        flags: "--fail-on-unhandled",
        about: "exit 1 when a kind of your own, or one that the environment or a provider owns, can leave the file",
      },
      {
        flags: "--allow <kinds>",
        about: "kinds that may leave it all the same: names and patterns such as internal.*, with commas between them",
        many: true,
      },
      reporter,
    ],
    examples: [
      { line: "segno errors release.yaml", about: "for each step: its kinds, and where each is handled" },
      { line: "segno errors release.yaml --fail-on-unhandled", about: "in CI" },
      {
        line: "segno errors release.yaml --fail-on-unhandled --allow internal.*,git.drift",
        about: "some kinds are left to whoever runs it",
      },
    ],
    load: async () => (await import("../commands/errors.ts")).errors,
  },
  {
    name: "graph",
    summary: "draw a workflow with its success and error routes",
    arguments: [file],
    about:
      "Error routes are red and dashed, with their kinds; retries are loops; groups and sub-workflows are boxes. In a drawing of more than 60 nodes sub-workflows are folded: each is one node, with the count of its steps. --watch prints the address of a page that follows the file: its findings at their nodes, what it can raise, what scenarios take, and how its last runs would end now. It starts nothing.",
    options: [
      { flags: "--format <format>", about: "mermaid by default", choices: ["mermaid", "dot", "svg"] },
      { flags: "--run <run>", about: "light the path that this run took" },
      { flags: "--depth <levels>", about: "how many levels of sub-workflows to unfold: 0 for none, or all" },
      { flags: "--watch", about: "serve a page that follows the file as it is saved" },
      { flags: "--port <n>", about: "of the page: its port; any by default", atLeast: 0, atMost: HIGHEST_PORT },
      { flags: "--open", about: "open the page in the browser" },
    ],
    examples: [
      { line: "segno graph release.yaml", about: "Mermaid, to paste into Markdown" },
      { line: "segno graph release.yaml --format svg > release.svg", about: "a picture" },
      { line: "segno graph release.yaml --format svg --run 01J8ZQ > run.svg", about: "and which way a run went" },
      { line: "segno graph release.yaml --depth 0", about: "each sub-workflow as one node" },
      { line: "segno graph release.yaml --watch --open", about: "in the browser, while you edit the file" },
    ],
    load: async () => (await import("../commands/convert.ts")).graph,
  },
  {
    name: "test",
    summary: "run scenarios: real workflows with scripted steps, offline, in virtual time",
    arguments: [{ name: "path", about: "scenario files, or folders with scenarios (default: here)", many: true }],
    options: [
      { flags: "--coverage", about: "say which routes no scenario takes" },
      { flags: "--min-error-coverage <percent>", about: "fail when fewer error routes are taken", atLeast: 0 },
      reporter,
      {
        flags: "--generate <file>",
        about: "write a scenario for each error route of this workflow that none takes yet",
      },
      { flags: "--record <run>", about: "write a scenario that plays this run again" },
      {
        flags: "--to <path>",
        about: "with --record: the file, or the folder for it (default: tests beside the workflow)",
      },
      { flags: "--extends <scenario>", about: "with --record: write only what differs from this scenario" },
      { flags: "--until <step>", about: "with --record: the scenario ends after this step" },
      { flags: "--no-strict", about: "let what is not scripted run for real" },
      { flags: "--watch", about: "run again whenever a file changes" },
    ],
    examples: [
      { line: "segno test", about: "all scenarios below this folder" },
      { line: "segno test tests --coverage --min-error-coverage 80", about: "in CI" },
      { line: "segno test --record 01J8ZQ", about: "make a test of a run" },
    ],
    load: async () => (await import("../../../features/scenarios/cli/commands.ts")).test,
  },
  {
    name: "backtest",
    summary: "say what an edited file would have done to past runs",
    about:
      "Plays recorded runs through the file as it is now, offline: a step that asks what it asked then gets the answer of then. No process (but git, for --against), no network, no tokens, no code of policies. A run is the same, the same end by another way, better (it failed, and now ends well), worse, of other output, or unknown from the step on that asks what was never recorded.",
    arguments: [file, { name: "run", about: "these runs (default: the newest 100 of the file)", many: true }],
    options: [
      { flags: "--runs <count>", about: "at most so many of the newest", atLeast: 1 },
      { flags: "--since <age>", about: "only runs that began within this time: 30d, 12h" },
      {
        flags: "--against <file|revision>",
        about: "compare with this file, or this revision of git, instead of what each run was driven with",
      },
      {
        flags: "--fail-on <what>",
        about: "exit 1 when a run would be worse, or differ at all",
        choices: ["worse", "changed"],
      },
      reporter,
    ],
    examples: [
      { line: "segno backtest release.yaml --since 30d", about: "before an edit is committed" },
      { line: "segno backtest release.yaml --against main --fail-on worse", about: "in CI" },
      { line: "segno backtest release.yaml 01J8ZQ", about: "one run" },
    ],
    load: async () => (await import("../../../features/history/cli/commands.ts")).backtestCommand,
  },
  {
    name: "eval",
    summary: "run a workflow over a dataset, in variants, and grade what comes of it",
    about:
      "Each row is an ordinary run. Agents are asked for real; every other step that reaches the world is answered from past runs or from the eval's scenario, unless `live:` names it. Rows that could not be measured, because of a provider or the budget, do not count.",
    arguments: [{ name: "path", about: "an eval file, or a folder with some (*.eval.yaml)", required: true }],
    options: [
      { ...ON, about: "run the rows on the workers of a fleet: the address of its Postgres (SEGNO_ON)" },
      { flags: "--dry-run", about: "say what would be real, and what it would cost; do nothing" },
      { flags: "--resume", about: "go on with the newest eval of the file that was not finished" },
      {
        flags: "--compare <revision|file|eval>",
        about: "against an earlier result: rows that flipped; exit 1 when it is significantly worse",
      },
      { flags: "--parallel <count>", about: "how many rows run at a time (default: 4)", atLeast: 1 },
      {
        flags: "--reporter <name>",
        about: "text by default; html is one file that needs nothing else",
        choices: ["text", "junit", "csv", "markdown", "html"],
      },
    ],
    examples: [
      { line: "segno eval triage.eval.yaml --dry-run", about: "what would be asked for real" },
      { line: "segno eval triage.eval.yaml --compare main", about: "before a change lands" },
      { line: "segno eval evals --reporter html > evals.html", about: "all evals of a folder, to look at" },
    ],
    load: async () => (await import("../../../features/evals/cli/commands.ts")).evalCommand,
  },
  {
    name: "eval add",
    summary: "add a run to a dataset, as a row",
    arguments: [{ name: "run", about: "a run id, or its first or last characters, at least 6", required: true }],
    options: [
      ON,
      { flags: "--to <file>", about: "the dataset, a .jsonl file (default: dataset.jsonl)" },
      {
        flags: "--expected <json>",
        about: "what is expected (default: asked at a terminal, else what the run came to)",
      },
      { flags: "--id <text>", about: "the row's name (default: the id of the run)" },
      { flags: "--tag <text>", about: "a tag of the row", many: true },
      { flags: "--step <step>", about: "for an eval of one step: what is expected is its output" },
    ],
    examples: [
      { line: "segno eval add 01J8ZQ --to tickets.jsonl", about: "" },
      { line: `segno eval add 01J8ZQ --to tickets.jsonl --expected '{"label": "refund"}' --tag money`, about: "" },
    ],
    load: async () => (await import("../../../features/evals/cli/commands.ts")).evalAdd,
  },
  {
    name: "schema",
    summary: "print the JSON Schema of workflow files, or of results",
    arguments: [{ name: "of", about: "workflow (default) or result", choices: ["workflow", "result"] }],
    examples: [
      { line: "segno schema > segno.schema.json", about: "for your editor" },
      { line: "segno schema result", about: "the object that --output-format json prints" },
    ],
    load: async () => (await import("../commands/convert.ts")).schema,
  },
  {
    name: "types",
    summary: "write TypeScript types of workflow files: inputs, output, error kinds",
    about:
      "With the written file in your program, `segno.run` of the library knows the inputs and the output of each file, and which kinds of errors can leave it. Name the files as your program does.",
    arguments: [files],
    options: [{ flags: "--out <file>", about: "where (default: segno.d.ts); - for stdout" }],
    examples: [
      { line: "segno types release.yaml", about: "writes segno.d.ts" },
      { line: "segno types workflows/*.yaml --out src/segno.d.ts", about: "of all workflows" },
    ],
    load: async () => (await import("../commands/convert.ts")).types,
  },
  {
    name: "export",
    summary: "write a workflow that is code as YAML",
    about:
      "Steps that are functions cannot be written as YAML: they are named, and nothing is written. Sub-workflows that are code are written beside it, each under its name.",
    arguments: [{ name: "file", about: "the workflow, such as release.workflow.ts", required: true }],
    options: [{ flags: "--out <file>", about: "where (default: release.yaml for release.workflow.ts); - for stdout" }],
    examples: [
      { line: "segno export release.workflow.ts", about: "writes release.yaml" },
      { line: "segno export release.workflow.ts --out -", about: "prints it" },
    ],
    load: async () => (await import("../commands/convert.ts")).exported,
  },
  {
    name: "convert",
    summary: "rewrite a file with agents: as one with steps:, which does the same",
    about:
      "A file with agents: follows Conductor's rules, one with steps: Segno's. Each difference becomes a field, such as ok_exit_codes: any; comments stay. What no field can say is named with its line, and nothing is written. There is no way back.",
    arguments: [{ name: "file", about: "the workflow", required: true }],
    options: [
      { flags: "--to <dialect>", about: "steps", choices: ["steps"] },
      { flags: "--out <file>", about: "where (default: the file itself); - for stdout" },
    ],
    examples: [
      { line: "segno convert release.yaml --to steps", about: "changes the file" },
      { line: "segno convert release.yaml --to steps --out -", about: "prints what it would be" },
    ],
    load: async () => (await import("../commands/convert.ts")).converted,
  },
];
