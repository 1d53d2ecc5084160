// What a command is: plain data for parsing, help and completion, and a door to its code that opens only when it is called.
// And the options that every command takes.
import type { Head } from "../../base/results/result.ts";
import type { DoorOfWorker } from "../../features/fleet/work/worker.ts";
import type { Asked } from "./asked.ts";
import type { Output } from "./output.ts";

export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  readonly required?: boolean;
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

export interface OptionSpec {
  /** `-i, --input <key=value>`: what help shows, and what is read. */
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** May be given more than once. */
  readonly many?: boolean;
  /** A whole number of at least this. */
  readonly atLeast?: number;
  /** And at most this. */
  readonly atMost?: number;
}

export interface Example {
  readonly line: string;
  readonly about: string;
}

export interface CommandSpec {
  /** `runs prune`: two words when the first has sub-commands. */
  readonly name: string;
  readonly summary: string;
  /** What there is to know beyond the summary, for its own --help. */
  readonly about?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  /** Whether --help ends with the table of exit codes. */
  readonly exitCodes?: boolean;
  /** It stands in no project: `segno.yaml` is not read. */
  readonly isOutside?: true;
  /** It neither drives a run nor reads a workflow: a plugin of the project that cannot be loaded does not stop it. */
  readonly needsNoPlugin?: true;
  readonly load: () => Promise<Handler>;
}

/** The page beside a run that is driven here. */
interface PageBeside {
  readonly session: Asked["session"];
  readonly root: string;
  readonly keep: boolean;
  readonly say: (text: string) => void;
}

/** The page that follows a workflow file. */
interface PreviewBeside {
  readonly file: string;
  readonly root: string;
  readonly opened: (url: string) => void;
}

/** What other programs may ask of a worker, and where. */
interface DoorBeside extends DoorOfWorker {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly env: Asked["env"];
  readonly defect: (thrown: unknown) => void;
}

interface OpenPage {
  addressOf(run: string | null): string;
  untilClosed(signal: AbortSignal, graceMs: number): Promise<void>;
  readonly wasOpened: boolean;
  close(): Promise<void>;
}

/** The other faces, which this one must not import; `main.ts` hands them over. */
export interface OtherFaces {
  readonly lsp: () => Promise<{ readonly serveLsp: (asked: Asked) => Promise<number> }>;
  readonly mcp: () => Promise<{ readonly serveMcp: (asked: Asked, output: Output) => Promise<number> }>;
  readonly server: () => Promise<{
    readonly serve: (asked: Asked, output: Output) => Promise<number | Head>;
    readonly servePreview: (asked: Asked, output: Output, preview: PreviewBeside) => Promise<number | Head>;
    readonly openPage: (options: PageBeside) => Promise<OpenPage>;
    readonly openDoor: (door: DoorBeside) => Promise<{ readonly port: number; close(): Promise<void> }>;
  }>;
}

/** One call of a command. */
export interface Call {
  readonly asked: Asked;
  readonly output: Output;
  readonly faces: OtherFaces;
  readonly version: string;
  /** All there are: for help and completion. */
  readonly commands: readonly CommandSpec[];
}

/** Does the command and gives the exit code. */
export type Handler = (call: Call) => Promise<number> | number;

export const EVERYWHERE: readonly OptionSpec[] = [
  {
    flags: "--output-format <format>",
    about: "text (default), json: one object on stdout, or ndjson: events as they happen, then that object",
    choices: ["text", "json", "ndjson"],
  },
  { flags: "--home <dir>", about: "where runs are kept (SEGNO_HOME; ~/.segno by default)" },
  { flags: "-q, --quiet", about: "say nothing but how it ended" },
  { flags: "-v, --verbose", about: "say more: what scripts print, as they print it" },
  { flags: "--no-color", about: "no colours (NO_COLOR does the same)" },
  { flags: "-h, --help", about: "show this" },
];

export const HIGHEST_PORT = 65_535;

/** Of every command that looks at runs, drives them or looks after them. */
export const ON: OptionSpec = {
  flags: "--on <url>",
  about: "on a fleet instead of this machine: the address of its Postgres (SEGNO_ON)",
};
