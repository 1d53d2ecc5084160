// Commands that look at runs, past and present.
import { RUN_STATUSES } from "../../../base/results/result.ts";
import { type CommandSpec, ON, type OptionSpec } from "../command.ts";

const run = {
  name: "run",
  about: "a run id, or its first or last characters, at least 6 (default: the newest of a file in this folder)",
};

const GIVEN_INPUT: OptionSpec = {
  flags: "-i, --input <key=value>",
  about: "only runs that were given this input: a text, a number, true or false",
  many: true,
};

export const LOOKING_COMMANDS: readonly CommandSpec[] = [
  {
    name: "runs",
    summary: "list runs, newest first",
    options: [
      ON,
      { flags: "--status <status>", about: "only those", choices: RUN_STATUSES },
      { flags: "--workflow <name>", about: "only of this workflow" },
      GIVEN_INPUT,
      { flags: "--limit <n>", about: "how many (default 20)", atLeast: 1 },
    ],
    examples: [
      { line: "segno runs", about: "the newest" },
      { line: "segno runs --status failed --workflow release", about: "what went wrong" },
      { line: "segno runs --input customer=acme", about: "what ran for one customer" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/runs.ts")).runs,
  },
  {
    name: "runs prune",
    summary: "remove old runs",
    about:
      "Looks at the runs of this project. What is being driven is never removed; what can be resumed, waits for an answer or has open letters stays unless --resumable is given. It asks first; without a terminal it needs --yes.",
    options: [
      ON,
      { flags: "--older-than <age>", about: "only runs that ended longer ago: 30d, 12h" },
      {
        flags: "--keep <n>",
        about: "how many of the newest of each workflow stay (default 200, or 0 with --older-than)",
        atLeast: 0,
      },
      {
        flags: "--status <status>",
        about: "only runs that ended so",
        choices: ["completed", "degraded", "terminated", "failed", "paused", "cancelled", "crashed"],
      },
      { flags: "--workflow <name>", about: "only of this workflow" },
      { flags: "--resumable", about: "also runs that can be resumed, wait for an answer or have open letters" },
      { flags: "--all", about: "runs of all projects" },
      { flags: "--dry-run", about: "say what would be removed, and remove nothing" },
      { flags: "-y, --yes", about: "do not ask" },
    ],
    examples: [
      { line: "segno runs prune --older-than 30d --dry-run", about: "see what is older than 30 days" },
      { line: "segno runs prune --keep 50 --yes", about: "keep the newest 50 of each workflow, without being asked" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/runs.ts")).prune,
  },
  {
    name: "stats",
    summary: "say how runs ended, how long they took and what they cost",
    about:
      "By workflow and step, of runs that have ended: counts, times and costs (half of the runs, nine of ten), kinds of errors. Rehearsals with a scenario and rows of evals are not counted.",
    arguments: [{ name: "file", about: "a workflow file (default: all)" }],
    options: [
      ON,
      { flags: "--since <time>", about: "only runs that began since: 90d, 12h or an ISO time (default: 30d)" },
      { flags: "--until <time>", about: "only runs that began before" },
      {
        flags: "--status <status>",
        about: "only runs that ended so",
        choices: ["completed", "degraded", "terminated", "failed", "cancelled"],
      },
      { flags: "--workflow <name>", about: "only of this workflow" },
      GIVEN_INPUT,
      { flags: "--limit <n>", about: "how many runs are counted, the newest (default 10000)", atLeast: 1 },
    ],
    examples: [
      { line: "segno stats", about: "all workflows, the last 30 days" },
      { line: "segno stats release.yaml --since 90d", about: "one file, its steps and errors" },
      { line: "segno stats release.yaml --input customer=acme", about: "of one customer" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/stats.ts")).stats,
  },
  {
    name: "show",
    summary: "report on a run: steps, errors, what to do next",
    arguments: [run],
    options: [ON],
    examples: [
      { line: "segno show", about: "the newest run of this folder" },
      { line: "segno show 01J8ZQ", about: "this one" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/show.ts")).show,
  },
  {
    name: "events",
    summary: "print the events of a run",
    arguments: [run],
    options: [
      ON,
      { flags: "-f, --follow", about: "go on as they happen, until the run ends" },
      { flags: "--after <seq>", about: "only those after this number", atLeast: 0 },
    ],
    examples: [
      { line: "segno events 01J8ZQ --follow", about: "watch a run from another terminal" },
      { line: "segno events 01J8ZQ --output-format ndjson", about: "one JSON object a line" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/events.ts")).events,
  },
  {
    name: "replay",
    summary: "play a run again in the terminal, as it was seen while it ran",
    about: "Pauses between drives, and long ones without an event, are named and not waited for.",
    arguments: [run],
    options: [
      ON,
      { flags: "--speed <factor>", about: "1 is real time, and the default" },
      { flags: "--step", about: "show one event for each key press" },
    ],
    examples: [
      { line: "segno replay 01J8ZQ --speed 10", about: "ten times as quick" },
      { line: "segno replay 01J8ZQ --step", about: "event by event" },
      { line: "segno replay 01J8ZQ > run.txt", about: "its lines, with the time of each" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/replay.ts")).replay,
  },
  {
    name: "explain",
    summary: "tell a failure as a story: what ran, what raised, which routes were read and why",
    about: "Ends with what `segno resume` would reuse and run now, with the file as it is now. Nothing is changed.",
    arguments: [run],
    options: [ON],
    examples: [
      { line: "segno explain", about: "the newest run of this folder: what to read first after a bad night" },
      { line: "segno explain 01J8ZQ", about: "this one" },
      { line: "segno explain 01J8ZQ --output-format json", about: "the same as data" },
    ],
    load: async () => (await import("../commands/show.ts")).explain,
  },
  {
    name: "trace",
    summary: "give a run as OpenTelemetry spans",
    arguments: [run],
    about:
      "They are sent to where runs send theirs as they go (OTLP over HTTP, as JSON): SEGNO_OTLP, `telemetry` of segno.yaml, or OTEL_EXPORTER_OTLP_ENDPOINT. Where none is set they are printed.",
    options: [ON],
    examples: [
      {
        line: "segno trace 01J8ZQ",
        about: "the span tree as JSON, or sent to a collector such as http://localhost:4318",
      },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/show.ts")).trace,
  },
];
