// All commands, in the groups that help shows them in. A new command is one spec in a file of this folder.
import type { CommandSpec } from "../command.ts";
import { CHECKING_COMMANDS } from "./checking.ts";
import { LOOKING_COMMANDS } from "./looking.ts";
import { PEOPLE_COMMANDS, TRIGGERS_COMMANDS } from "./people.ts";
import { RUNNING_COMMANDS } from "./running.ts";
import { FLEET_COMMANDS, SETUP_COMMANDS } from "./setup.ts";

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandSpec[];
}

export const GROUPS: readonly CommandGroup[] = [
  { heading: "Run", commands: RUNNING_COMMANDS },
  { heading: "Check before you run", commands: CHECKING_COMMANDS },
  { heading: "See what happened", commands: LOOKING_COMMANDS },
  { heading: "Answer and retry", commands: PEOPLE_COMMANDS },
  { heading: "Many machines", commands: FLEET_COMMANDS },
  { heading: "Start by itself", commands: TRIGGERS_COMMANDS },
  { heading: "Set up and serve", commands: SETUP_COMMANDS },
];

/** The commands that `segno --help` shows: those of a first week. */
export const FIRST_COMMANDS: ReadonlySet<string> = new Set([
  "init",
  "run",
  "resume",
  "validate",
  "errors",
  "test",
  "runs",
  "show",
  "gate answer",
  "serve",
]);

/** What other programs call a command. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  answer: "gate answer",
  approve: "gate answer",
  check: "validate",
  continue: "resume",
  create: "init",
  kill: "cancel",
  lint: "validate",
  list: "runs",
  log: "events",
  logs: "events",
  ls: "runs",
  new: "init",
  ps: "runs",
  retry: "resume",
  status: "show",
  stop: "cancel",
};

export const COMMANDS: readonly CommandSpec[] = GROUPS.flatMap(({ commands }) => commands);
