// All commands, in the groups that help shows them in. A new command is one spec in this folder and one name here.
import type { CommandSpec } from "../command.ts";
import * as checking from "./checking.ts";
import * as looking from "./looking.ts";
import * as people from "./people.ts";
import * as running from "./running.ts";
import * as setup from "./setup.ts";

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandSpec[];
}

const group = (heading: string, ...commands: CommandSpec[]): CommandGroup => ({ heading, commands });

export const GROUPS: readonly CommandGroup[] = [
  group("Run", running.run, running.resume, running.cancel, running.repair),
  group("Check before you run", checking.validate, checking.errors, checking.graph, checking.test, checking.schema),
  group(
    "See what happened",
    looking.runs,
    looking.prune,
    looking.show,
    looking.events,
    looking.replay,
    looking.explain,
    looking.trace,
  ),
  group(
    "Answer and retry",
    people.gateList,
    people.gateAnswer,
    people.dlqList,
    people.dlqShow,
    people.dlqRetry,
    people.dlqDrop,
    people.breakers,
    people.breakersReset,
  ),
  group("Set up and serve", setup.init, setup.doctor, setup.completion, setup.mcp),
];

export const COMMANDS: readonly CommandSpec[] = GROUPS.flatMap(({ commands }) => commands);
