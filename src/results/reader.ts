// Each reader of a hint has another way to ask Segno: a person types a command, an agent calls a tool, a program a
// function. A text names what is to be asked, and the reader it is for says how.
import { shellWord } from "../events/typeable.ts";
import { copyableAddress } from "../redact/postgres-address.ts";

/** What can be asked of Segno, as far as hints name it. */
export type Wanted =
  | { readonly to: "run" }
  /** Run a workflow that is code, and that no trusted project names. */
  | { readonly to: "run code" }
  | { readonly to: "validate"; readonly file: string }
  | { readonly to: "resume"; readonly run: string; readonly maxIterations?: number; readonly changedFiles?: true }
  /** Run again what groups of a run went on without. */
  | { readonly to: "run lost items"; readonly run: string }
  /** Go on with a run that waits, so that its question is asked here. */
  | { readonly to: "be asked"; readonly run: string }
  | { readonly to: "cancel"; readonly run: string }
  /** Go on with a run that another process may still drive. */
  | { readonly to: "take over"; readonly run: string }
  | { readonly to: "follow"; readonly run: string }
  | { readonly to: "show"; readonly run: string }
  | { readonly to: "list runs" }
  | { readonly to: "list gates" }
  /** `gate` when several wait. */
  | { readonly to: "answer"; readonly run: string; readonly gate?: string }
  | { readonly to: "list letters" }
  /** One letter, or all of a run. */
  | { readonly to: "retry"; readonly letter: string }
  | { readonly to: "retry"; readonly run: string }
  /** All that a list of letters showed: its filters, by their names. */
  | { readonly to: "retry all"; readonly filters: Readonly<Record<string, string>> }
  | { readonly to: "list breakers" }
  | { readonly to: "reset"; readonly breaker: string }
  | { readonly to: "list workers" }
  | { readonly to: "prune" }
  /** Look what is wrong with the store, and make its index anew. */
  | { readonly to: "examine" }
  | { readonly to: "reindex" }
  /** Try the MCP servers of a file. */
  | { readonly to: "start servers" };

/** An argument of what was asked. */
export type Given =
  /** `example`: a value of its type, as JSON; none of a string. */
  | { readonly what: "input"; readonly name: string; readonly example?: string | undefined }
  | { readonly what: "gate" }
  /** Another folder to keep runs in. */
  | { readonly what: "home" }
  /** Whom agents ask, whatever the file says. */
  | { readonly what: "provider" }
  | { readonly what: "answer"; readonly name: string }
  /** An option, by its name on the command line without the dashes, with its value. */
  | { readonly what: "option"; readonly name: string; readonly value?: string };

export interface Reader {
  /** How they ask for it; null when they cannot, and the text then does without. */
  ask(wanted: Wanted): string | null;
  give(given: Given): string;
}

// For people at a terminal: hints are commands that can be copied.

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
      case "run code":
        return null;
    }
  },
  give(given) {
    switch (given.what) {
      case "input":
        return /^[[{]/.test(given.example ?? "")
          ? `JSON, such as -i ${given.name}='${given.example}'`
          : `-i ${given.name}=${given.example ?? "VALUE"}`;
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
