// For people at a terminal: hints are commands that can be copied.

import { shellWord } from "../events/typeable.ts";
import { copyableAddress } from "../redact/postgres-address.ts";
import type { Reader } from "./reader.ts";

export const COMMAND_LINE: Reader = {
  ask(wanted) {
    switch (wanted.to) {
      case "run":
        return "segno run";
      case "validate":
        return `segno validate ${shellWord(wanted.file)}`;
      case "resume": {
        const more = wanted.maxIterations === undefined ? "" : ` --max-iterations ${wanted.maxIterations}`;
        return `segno resume ${wanted.run}${more}${wanted.changedFiles ? " --changed-files" : ""}`;
      }
      case "run lost items":
        return `segno resume ${wanted.run} --failed-items`;
      case "be asked":
        return `segno resume ${wanted.run}`;
      case "take over":
        return `segno resume ${wanted.run} --take-over`;
      case "cancel":
        return `segno cancel ${wanted.run}`;
      case "follow":
        return `segno events ${wanted.run} --follow`;
      case "show":
        return `segno show ${wanted.run}`;
      case "list runs":
        return "segno runs";
      case "list gates":
        return "segno gate list";
      case "answer":
        return `segno gate answer ${wanted.run} VALUE${wanted.gate === undefined ? "" : ` --gate ${shellWord(wanted.gate)}`}`;
      case "list letters":
        return "segno dlq list --all";
      case "retry":
        return `segno dlq retry ${"letter" in wanted ? wanted.letter : `--run ${wanted.run}`}`;
      case "retry all": {
        const filters = Object.entries(wanted.filters).map(([name, value]) => `--${name} ${shellWord(value)}`);
        return `segno dlq retry ${filters.join(" ") || "--kind '*'"}`;
      }
      case "list breakers":
        return "segno breakers";
      case "reset":
        return `segno breakers reset ${shellWord(wanted.breaker)}`;
      case "list workers":
        return "segno workers";
      case "prune":
        return "segno runs prune";
      case "examine":
        return "segno doctor";
      case "reindex":
        return "segno doctor --reindex";
      case "start servers":
        return "segno doctor FILE --start";
    }
  },
  give(given) {
    switch (given.what) {
      case "input":
        return given.example === undefined
          ? `-i ${given.name}=VALUE`
          : `JSON, such as -i ${given.name}='${given.example}'`;
      case "gate":
        return "--gate";
      case "home":
        return "--home or SEGNO_HOME";
      case "provider":
        return "--provider";
      case "answer":
        return `--input ${given.name}=…`;
      case "option":
        return `--${given.name}${given.value === undefined ? "" : ` ${shellWord(given.value)}`}`;
    }
  },
};

/** What is about files and this machine, wherever runs are. */
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(["validate", "reindex", "start servers"]);

/** For a message that is sent: its reader has a terminal, and their commands must name the fleet. */
export const commandLineOf = (fleet: string | undefined): Reader =>
  fleet === undefined ? COMMAND_LINE : commandLineOn(fleet);

/** For a user who gave `--on`: the commands that they copy have it too, without the password. */
export function commandLineOn(address: string): Reader {
  const on = ` --on ${shellWord(copyableAddress(address))}`;
  return {
    ask(wanted) {
      const command = COMMAND_LINE.ask(wanted);
      return command === null || OF_THIS_MACHINE.has(wanted.to) ? command : command + on;
    },
    give: COMMAND_LINE.give,
  };
}
