// All commands, in the groups that help shows them in. A new command is one spec in this folder and one name here.
import type { CommandSpec } from "../command.ts";
import * as checking from "./checking.ts";
import * as fleet from "./fleet.ts";
import * as looking from "./looking.ts";
import * as people from "./people.ts";
import * as running from "./running.ts";
import * as setup from "./setup.ts";
import * as triggers from "./triggers.ts";

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandSpec[];
}

const group = (heading: string, ...commands: CommandSpec[]): CommandGroup => ({ heading, commands });

export const GROUPS: readonly CommandGroup[] = [
  group("Run", running.runCommand, running.resumeCommand, running.cancelCommand, running.repairCommand),
  group(
    "Check before you run",
    checking.validateCommand,
    checking.errorsCommand,
    checking.graphCommand,
    checking.testCommand,
    checking.backtestCommand,
    checking.forecastCommand,
    checking.evalCommand,
    checking.evalAddCommand,
    checking.schemaCommand,
    checking.typesCommand,
    checking.exportCommand,
  ),
  group(
    "See what happened",
    looking.runsCommand,
    looking.pruneCommand,
    looking.showCommand,
    looking.eventsCommand,
    looking.replayCommand,
    looking.explainCommand,
    looking.traceCommand,
  ),
  group(
    "Answer and retry",
    people.gateListCommand,
    people.gateAnswerCommand,
    people.dlqListCommand,
    people.dlqShowCommand,
    people.dlqRetryCommand,
    people.dlqDropCommand,
    people.breakersCommand,
    people.breakersResetCommand,
    people.limitsCommand,
  ),
  group("Many machines", fleet.workerCommand, fleet.workersCommand, fleet.workersDrainCommand),
  group(
    "Start by itself",
    triggers.triggersListCommand,
    triggers.triggersShowCommand,
    triggers.triggersFireCommand,
    triggers.triggersPauseCommand,
    triggers.triggersResumeCommand,
    triggers.triggersHistoryCommand,
  ),
  group(
    "Set up and serve",
    setup.initCommand,
    setup.trustCommand,
    setup.doctorCommand,
    setup.completionCommand,
    setup.serveCommand,
    setup.mcpCommand,
    setup.lspCommand,
  ),
];

export const COMMANDS: readonly CommandSpec[] = GROUPS.flatMap(({ commands }) => commands);
