// Commands that drive a run.
import { type CommandSpec, ON, type OptionSpec } from "../command.ts";

const inputs: readonly OptionSpec[] = [
  { flags: "-i, --input <key=value>", about: "an input; key=@file reads a file, key=- reads stdin", many: true },
  { flags: "--inputs <file>", about: "inputs from a JSON file; - for stdin" },
];
const skipGates: OptionSpec = { flags: "--skip-gates", about: "take the first option of every gate" };
const maxIterations: OptionSpec = { flags: "--max-iterations <n>", about: "how many steps may run", atLeast: 1 };
const maxVisits: OptionSpec = {
  flags: "--max-visits <n>",
  about: "how often a step may be visited: how often a loop may go round",
  atLeast: 1,
};
const provider: OptionSpec = {
  flags: "--provider <name>",
  about: "whom all agents ask, whatever the file says (SEGNO_PROVIDER)",
};
const runId = { name: "run", about: "a run id, or its first or last characters, at least 6", required: true };

export const RUNNING_COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "run a workflow",
    about: "Progress goes to stderr; stdout is the workflow's output as JSON, nothing else.",
    arguments: [{ name: "file", about: "the workflow file", required: true }],
    options: [
      ON,
      ...inputs,
      { flags: "--name <text>", about: "what the run is called (default: what `run_name` of the file comes to)" },
      skipGates,
      { flags: "--detach", about: "with --on: print the run's id and do not wait for it" },
      {
        flags: "--priority <level>",
        about: "with --on: which of the runs that wait is taken first: high, normal or low (default: as the file says)",
        choices: ["high", "normal", "low"],
      },
      { flags: "--dry-run", about: "show what would run, run nothing" },
      { flags: "--scenario <file>", about: "run with the scripted answers of a scenario, in virtual time" },
      { flags: "--no-strict", about: "with --scenario: let what is not scripted run for real" },
      maxIterations,
      provider,
      {
        flags: "--durability <mode>",
        about: "what a run survives: process (a crash) or power (a power cut) (SEGNO_DURABILITY)",
        choices: ["process", "power"],
      },
      { flags: "--web", about: "show the run on a web page, until it has ended and the page is closed" },
      { flags: "--web-keep", about: "the same, until Ctrl-C" },
    ],
    examples: [
      { line: "segno run release.yaml -i version=1.2.0", about: "run it" },
      { line: "segno run release.yaml -i notes=@CHANGES.md -i token=-", about: "inputs from a file and from stdin" },
      { line: "segno run release.yaml --dry-run", about: "see the plan" },
      { line: "segno run release.yaml --web", about: "and watch it in the browser" },
      { line: "segno run release.yaml --on postgres://segno@db/segno", about: "on whichever worker is free" },
      { line: "segno run release.yaml --output-format json", about: "one result object, on every path" },
    ],
    exitCodes: true,
    load: async () => (await import("../commands/run.ts")).runCommand,
  },
  {
    name: "resume",
    summary: "go on with a run that failed, paused, was stopped or was killed",
    about:
      "Completed steps are reused; what you changed in the file since, and what depends on it, runs again. A run that is done gives its result again, and nothing is run.",
    arguments: [
      {
        name: "run",
        about:
          "a run id or its first or last characters, or a workflow file (default: the newest resumable run of this folder)",
      },
      { name: "file", about: "an edited copy of the run's workflow, to go on with from now on" },
    ],
    options: [
      ON,
      ...inputs,
      { flags: "--from <step>", about: "start at this step" },
      { flags: "--force", about: "reuse nothing" },
      {
        flags: "--failed-items",
        about: "run the items again that the run lost; in a degraded run, also what reads them",
      },
      { flags: "--changed-files", about: "also run steps again whose script files have changed since they ran" },
      {
        flags: "--skip-waits",
        about:
          "go on at once, without the rest of the retry, reset or wait step that the run waits for or was stopped in",
      },
      {
        flags: "--take-over",
        about:
          "take the run from the process that drives it, alive or not: it can record nothing more, but a step that it has begun goes on",
      },
      maxIterations,
      maxVisits,
      provider,
      skipGates,
    ],
    examples: [
      { line: "segno resume", about: "the newest run of this folder that can go on" },
      { line: "segno resume 01J8ZQ", about: "this one" },
      { line: "segno resume release.yaml --from publish", about: "the newest of this file, from a step" },
      { line: "segno resume 01J8ZQ release-fixed.yaml", about: "with an edited copy of its file" },
    ],
    exitCodes: true,
    load: async () => (await import("../commands/resume.ts")).resumeCommand,
  },
  {
    name: "cancel",
    summary: "stop a run that another process drives, or close a paused one",
    arguments: [runId],
    options: [ON],
    examples: [{ line: "segno cancel 01J8ZQ", about: "its steps are ended; it stays resumable" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/runs.ts")).cancelCommand,
  },
  {
    name: "repair",
    summary: "let a model propose a fix for a failed run, then resume it",
    arguments: [{ ...runId, required: false }],
    options: [
      ON,
      {
        flags: "--all <kind>",
        about: "instead of one run: list all open runs of the project that failed with this kind",
      },
      { flags: "--resume", about: "with --all: repair each step that failed, and resume the runs that get past it" },
      { flags: "--attempts <n>", about: "how often to try (default 3)", atLeast: 1 },
      {
        flags: "-y, --yes",
        about: "do not ask; only the failing step may change, and neither what is executed nor where it leads",
      },
      { flags: "--proof <file>", about: "write what was checked, in Markdown, for a pull request" },
      { flags: "--provider <name>", about: "who is asked" },
      { flags: "--model <name>", about: "which model" },
    ],
    examples: [
      { line: "segno repair 01J8ZQ", about: "shows the change and asks before it writes" },
      {
        line: "segno repair 01J8ZQ --yes --provider anthropic",
        about: "only the failing step, not what is executed nor where it leads",
      },
      {
        line: "segno repair --all internal.template_error",
        about: "lists the runs; --resume repairs and resumes them",
      },
    ],
    exitCodes: true,
    load: async () => (await import("../../../features/history/cli/repair.ts")).repair,
  },
];
