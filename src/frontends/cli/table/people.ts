// Commands for what waits for a person or for time (gates, dead letters, breakers, limits), and for what starts runs by itself.
import { type CommandSpec, ON, type OptionSpec } from "../command.ts";

const filters: readonly OptionSpec[] = [
  { flags: "--kind <glob>", about: "only of this kind (external.*)" },
  { flags: "--workflow <name>", about: "only of this workflow" },
  { flags: "--run <run>", about: "only of this run" },
  { flags: "--since <age>", about: "not older than this (1d, 2h)" },
];
const letters = { name: "id", about: "letters", many: true };

export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "gate list",
    summary: "list the questions that runs are waiting on",
    options: [ON],
    examples: [{ line: "segno gate list", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/people.ts")).printGates,
  },
  {
    name: "gate answer",
    summary: "answer a gate, and drive the run on",
    arguments: [
      { name: "run", about: "a run id, or its first or last characters, at least 6", required: true },
      { name: "value", about: "the value of one of its options", required: true },
    ],
    options: [
      ON,
      { flags: "--gate <step>", about: "which gate, when the run waits on more than one" },
      { flags: "-i, --input <field=text>", about: "a text that the option asks for", many: true },
      { flags: "--as <name>", about: "who you say you are; recorded as a claim beside your user name" },
    ],
    examples: [
      { line: "segno gate answer 01J8ZQ approve", about: "" },
      {
        line: 'segno gate answer 01J8ZQ reject --input why="no changelog"',
        about: "with the text the option asks for",
      },
    ],
    exitCodes: true,
    load: async () => (await import("../commands/people.ts")).giveAnswer,
  },
  {
    name: "dlq list",
    summary: "list dead letters: failed steps and items kept for another try",
    options: [ON, { flags: "--all", about: "also those resolved or dropped" }, ...filters],
    examples: [
      { line: "segno dlq list", about: "those that can be tried again" },
      { line: "segno dlq list --kind 'external.*' --since 1d", about: "only some of them" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/people.ts")).dlqList,
  },
  {
    name: "dlq show",
    summary: "show one dead letter",
    arguments: [{ name: "id", about: "the letter", required: true }],
    options: [ON],
    examples: [{ line: "segno dlq show 01J8ZQ", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/people.ts")).dlqShow,
  },
  {
    name: "dlq retry",
    summary: "try dead letters again, each in its run",
    about:
      "Exactly the failed step or item runs again, with the file as it is now; a run that had failed goes on from there, one that had ended gets a new result.",
    arguments: [letters],
    options: [
      ON,
      ...filters,
      { flags: "--max-iterations <n>", about: "how many steps may run", atLeast: 1 },
      { flags: "--max-visits <n>", about: "how often a step may be visited", atLeast: 1 },
    ],
    examples: [
      { line: "segno dlq retry 01J8ZQ", about: "one letter" },
      { line: "segno dlq retry --workflow release --kind 'http.*'", about: "all that are like that" },
    ],
    exitCodes: true,
    load: async () => (await import("../commands/people.ts")).dlqRetry,
  },
  {
    name: "dlq drop",
    summary: "give dead letters up",
    arguments: [letters],
    options: [ON, ...filters],
    examples: [{ line: "segno dlq drop 01J8ZQ", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/people.ts")).dlqDrop,
  },
  {
    name: "breakers",
    summary: "list circuit breakers and their states",
    options: [ON],
    examples: [{ line: "segno breakers", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/governance.ts")).breakers,
  },
  {
    name: "breakers reset",
    summary: "close a circuit breaker",
    arguments: [{ name: "name", about: "the breaker", required: true }],
    options: [ON],
    examples: [{ line: "segno breakers reset http:api.example.com", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/governance.ts")).breakersReset,
  },
  {
    name: "limits",
    summary: "list your limits on calls to models, and the runs that wait",
    about:
      "What is used of each limit of `limits:`, who waits for a turn, and which runs wait for a provider's limit to be reset.",
    options: [ON],
    examples: [{ line: "segno limits", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/governance.ts")).limits,
  },
];

const name = { name: "name", about: "the trigger", required: true };

export const TRIGGERS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "triggers list",
    summary: "list what starts runs by itself: when each fires next, and what it did last",
    options: [ON],
    examples: [{ line: "segno triggers list", about: "those of this project's segno.yaml" }],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/triggers/cli/commands.ts")).triggersList,
  },
  {
    name: "triggers show",
    summary: "show one trigger",
    arguments: [name],
    options: [ON],
    examples: [{ line: "segno triggers show nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/triggers/cli/commands.ts")).triggersShow,
  },
  {
    name: "triggers fire",
    summary: "fire a trigger by hand, and drive its run here",
    arguments: [name],
    options: [
      ON,
      { flags: "--body <file>", about: "what stands for the body of a webhook: a JSON file" },
      {
        flags: "--run <run>",
        about: "what stands for the run that ended, for on_run: a run id, or its first or last characters, at least 6",
      },
    ],
    examples: [
      { line: "segno triggers fire nightly", about: "as if its moment had come" },
      { line: "segno triggers fire pushed --body push.json", about: "as if this had been delivered" },
      { line: "segno triggers fire after_report --run 01J8ZQ", about: "as if this run had just ended" },
    ],
    exitCodes: true,
    load: async () => (await import("../../../features/triggers/cli/commands.ts")).triggersFire,
  },
  {
    name: "triggers pause",
    summary: "stop a trigger from firing, until it is resumed",
    arguments: [name],
    options: [ON],
    examples: [{ line: "segno triggers pause nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/triggers/cli/commands.ts")).triggersPause,
  },
  {
    name: "triggers resume",
    summary: "let a paused trigger fire again; firings that it missed are not made up for",
    arguments: [name],
    options: [ON],
    examples: [{ line: "segno triggers resume nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/triggers/cli/commands.ts")).triggersResume,
  },
  {
    name: "triggers history",
    summary: "list what triggers fired, what they skipped and why, and the runs that they made",
    arguments: [{ name: "name", about: "only of this trigger" }],
    options: [ON, { flags: "--limit <n>", about: "how many (default 20)", atLeast: 1 }],
    examples: [{ line: "segno triggers history nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../../../features/triggers/cli/commands.ts")).triggersHistory,
  },
];
