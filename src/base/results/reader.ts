// Names actions in the reader's own terms: a person types a command, an agent calls a tool, a program a function. A
// text says which action it means, and its reader says how to ask for it.
import { shellWord } from "../events/typeable.ts";
import { copyableAddress } from "../redact/postgres-address.ts";

/** What can be asked of Segno, as far as hints name it. */
export type Wanted =
  | { readonly to: "run" }
  /** Run a workflow that is code, and that no trusted project names. */
  | { readonly to: "run code" }
  | { readonly to: "validate"; readonly file: string }
  | {
      readonly to: "resume";
      readonly run: string;
      readonly maxIterations?: number;
      readonly maxVisits?: number;
      readonly changedFiles?: true;
      /** That step and all that follows runs again. */
      readonly from?: string;
    }
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
  | {
      readonly to: "answer";
      readonly run: string;
      /** Given if several wait. */
      readonly gate?: string;
      /** The ids of a list of questions. */
      readonly questions?: readonly string[];
      /** With `approvers` or `four_eyes`: an agent's answer does not count. */
      readonly isForPeople?: boolean;
    }
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
  /** The steps that a scenario lets run for real may run: for people at a terminal alone, who are told which they are. */
  readonly playsLiveSteps?: boolean;
}

// For people at a terminal: hints are commands that can be copied.

type Asked<To extends Wanted["to"]> = Extract<Wanted, { readonly to: To }>;

const COMMANDS: { readonly [To in Wanted["to"]]: (wanted: Asked<To>) => string | null } = {
  run: () => "run",
  validate: ({ file }) => `validate ${shellWord(file)}`,
  resume({ run, maxIterations, maxVisits, changedFiles, from }) {
    const iterations = maxIterations === undefined ? "" : ` --max-iterations ${maxIterations}`;
    const visits = maxVisits === undefined ? "" : ` --max-visits ${maxVisits}`;
    const start = from === undefined ? "" : ` --from ${shellWord(from)}`;
    return `resume ${run}${iterations}${visits}${changedFiles ? " --changed-files" : ""}${start}`;
  },
  "run lost items": ({ run }) => `resume ${run} --failed-items`,
  "be asked": ({ run }) => `resume ${run}`,
  "take over": ({ run }) => `resume ${run} --take-over`,
  cancel: ({ run }) => `cancel ${run}`,
  follow: ({ run }) => `events ${run} --follow`,
  show: ({ run }) => `show ${run}`,
  "list runs": () => "runs",
  "list gates": () => "gate list",
  answer({ run, gate, questions }) {
    const given = (questions ?? []).map((id) => ` --input ${shellWord(id)}=TEXT`).join("");
    const which = gate === undefined ? "" : ` --gate ${shellWord(gate)}`;
    return `gate answer ${run} ${questions === undefined ? "VALUE" : "done"}${which}${given}`;
  },
  "list letters": () => "dlq list --all",
  retry: (wanted) => `dlq retry ${"letter" in wanted ? wanted.letter : `--run ${wanted.run}`}`,
  "retry all"({ filters }) {
    const given = Object.entries(filters).map(([name, value]) => `--${name} ${shellWord(value)}`);
    return `dlq retry ${given.join(" ") || "--kind '*'"}`;
  },
  "list breakers": () => "breakers",
  reset: ({ breaker }) => `breakers reset ${shellWord(breaker)}`,
  "list workers": () => "workers",
  prune: () => "runs prune",
  examine: () => "doctor",
  reindex: () => "doctor --reindex",
  "start servers": () => "doctor FILE --start",
  "run code": () => null,
};

/** What is about files and this machine, wherever runs are. */
const OF_THIS_MACHINE: ReadonlySet<string> = new Set(["validate", "reindex", "start servers"]);

/** What `segno` is called where nothing says how the program was called. */
const PROGRAM = "segno";

export interface CommandLine {
  /** How the reader calls the program: `npx segno` where no `segno` is on the path. */
  readonly program?: string;
  /** The address of the fleet that the runs are on: commands then name it, without the password. */
  readonly fleet?: string | undefined;
}

export const commandLineReader = ({ program = PROGRAM, fleet }: CommandLine): Reader => ({
  playsLiveSteps: true,
  ask(wanted) {
    const command = (COMMANDS[wanted.to] as (wanted: Wanted) => string | null)(wanted);
    if (command === null) return null;
    const on =
      fleet === undefined || OF_THIS_MACHINE.has(wanted.to) ? "" : ` --on ${shellWord(copyableAddress(fleet))}`;
    return `${program} ${command}${on}`;
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
});

export const COMMAND_LINE: Reader = commandLineReader({});
