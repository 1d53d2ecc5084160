// Commands about what starts runs by itself.
import type { CommandSpec } from "../command.ts";
import { ON } from "./everywhere.ts";

const name = { name: "name", about: "the trigger", required: true };

export const TRIGGERS_COMMANDS: readonly CommandSpec[] = [
  {
    name: "triggers list",
    summary: "list what starts runs by itself: when each fires next, and what it did last",
    options: [ON],
    examples: [{ line: "segno triggers list", about: "those of this project's segno.yaml" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/triggers.ts")).triggersList,
  },
  {
    name: "triggers show",
    summary: "show one trigger",
    arguments: [name],
    options: [ON],
    examples: [{ line: "segno triggers show nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/triggers.ts")).triggersShow,
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
    load: async () => (await import("../commands/triggers.ts")).triggersFire,
  },
  {
    name: "triggers pause",
    summary: "stop a trigger from firing, until it is resumed",
    arguments: [name],
    options: [ON],
    examples: [{ line: "segno triggers pause nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/triggers.ts")).triggersPause,
  },
  {
    name: "triggers resume",
    summary: "let a paused trigger fire again; firings that it missed are not made up for",
    arguments: [name],
    options: [ON],
    examples: [{ line: "segno triggers resume nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/triggers.ts")).triggersResume,
  },
  {
    name: "triggers history",
    summary: "list what triggers fired, what they skipped and why, and the runs that they made",
    arguments: [{ name: "name", about: "only of this trigger" }],
    options: [ON, { flags: "--limit <n>", about: "how many (default 20)", atLeast: 1 }],
    examples: [{ line: "segno triggers history nightly", about: "" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/triggers.ts")).triggersHistory,
  },
];
