// What is asked of a drive: the workflow or the run. And beside it who listens to the drive, and who can be asked.

import type { RunEvent } from "../base/events/registry.ts";
import type { Entry } from "../base/results/result.ts";
import type { ReachedLimit } from "../engine/limits/reached.ts";
import type { Progress, Question, Unsigned } from "../engine/people/ask.ts";
import type { QueueLane } from "../storage/fleet.ts";

/** Listens to a run. Events are redacted: they may be shown. */
export type Listener = (event: RunEvent) => void;

/** Asks the user of this process. `undefined`: no user can be asked, the run pauses. The signal stops the question. */
export type FaceAsker = (question: Question, signal: AbortSignal, asked: AskedPerson) => Promise<Unsigned | undefined>;

export interface AskedPerson {
  /** Who is asked: the name that the run's project gives them, else `alex@box`. */
  readonly person: string;
  /** Their answer would not count: who they are, who may answer instead, and how. */
  readonly refusal?: string;
  readonly progress?: Progress;
}

/** Who listens to a drive, and who can be asked: handed beside a request. */
export interface DriveListeners {
  readonly on?: Listener;
  /** Absent: no user can be asked, a gate pauses the run. */
  readonly ask?: FaceAsker;
  /** How what `ask` gives has come, for the record; `terminal` when left out. */
  readonly askedVia?: "terminal" | "page" | "library";
  /** At the iteration limit: how many more? 0 stops. Absent: stop. */
  readonly askForMore?: (reached: ReachedLimit) => Promise<number>;
  /** Called with a sentence for a user who waits. */
  readonly said?: (text: string) => void;
  /** Aborts when the user pressed Ctrl-C. */
  readonly signal?: AbortSignal;
  /** On a fleet: the request is placed, and this process does not wait for it. */
  readonly detach?: boolean;
  /** Called when the run is driven elsewhere: this process only follows it, and stopping it does not stop the run. */
  readonly following?: (runId: string) => void;
  readonly warned?: Warned;
  /** Called when the run is done already, and its result is only returned again. */
  readonly isDone?: (sentence: string) => void;
  /** Called when the process that had the run has to be watched for a while. */
  readonly watching?: (text: string) => void;
}

/** An input as a face got it: text that is parsed by the declared type, or a value that is checked against it. */
export type GivenInput =
  | { readonly text: string }
  /** `written`: how a file has it, `1.20` for 1.2; for an input that is a text, that is what was given. */
  | { readonly value: unknown; readonly written?: string }
  /** What no journal can hold, in words; nothing but a refusal is made of it. */
  | { readonly refused: string };

/** Called with the warnings of a file that passes validation. */
export type Warned = (warnings: readonly Entry[]) => void;

export interface RunOrigin {
  /** Who started it: `trigger:nightly`. Left out: the user of this process. */
  readonly startedBy?: string;
  /** Of a trigger: the person who set it off. */
  readonly firedBy?: string;
  /** Who has changed what it is about since: with other inputs, or with another file; of a trigger that follows a run, who had. */
  readonly changedBy?: readonly string[];
  /** What the run is called; what the file says when left out. */
  readonly name?: string;
  /** The eval that the run is a row of. */
  readonly evalId?: string;
}

interface AskedDrive {
  readonly inputs: Readonly<Record<string, GivenInput>>;
  readonly skipGates?: boolean;
  readonly maxIterations?: number;
  /** Whom agents ask, whatever the file says. Left out: the file says it; of a resume, whom the run began with. */
  readonly provider?: string;
}

export interface RunRequest extends AskedDrive {
  readonly file: string;
  readonly scenario?: string;
  /** On a fleet: the workers play the scenario. Left out: this process does. */
  readonly scenarioTravels?: boolean;
  /** Of the scenario, whatever it says itself; false: what it does not script runs for real. */
  readonly strict?: boolean;
  readonly durability?: "process" | "power";
  /** On a fleet: runs of one key wait for each other, those of others in turn; what the file says when left out. */
  readonly queue?: Partial<QueueLane>;
  /** The id that the run gets, where it was decided before: the same again finds the run, and goes on with it. */
  readonly runId?: string;
  readonly origin?: RunOrigin;
}

/** What a resume runs again, beside steps that were changed and what reads them. */
export interface Rerun {
  /** Everything from this step on. */
  readonly from?: string;
  /** Everything. */
  readonly force?: boolean;
  /** The items that groups of the run went on without, and what reads them. */
  readonly failedItems?: boolean;
  /** Steps whose script files have changed since they ran, and what reads them. */
  readonly changedFiles?: boolean;
}

export interface ResumeRequest extends AskedDrive {
  /** How often a step may be visited, whatever the file says. */
  readonly maxVisits?: number;
  /** A run id (or a beginning or end of one that no other has), a workflow file, or nothing: the newest below `cwd` that can be resumed. */
  readonly target?: string;
  /** Another workflow file than the run was driven with so far: an edited copy. */
  readonly file?: string;
  readonly rerun?: Rerun;
  /** Goes on at once where it was stopped in a wait. */
  readonly skipWaits?: boolean;
  /** Take the run also from a process that may still drive it. */
  readonly takeOver?: boolean;
  /** Not past a gate for certain people that waits for its answer. The command line goes where its user says. */
  readonly staysBehindGates?: boolean;
}
