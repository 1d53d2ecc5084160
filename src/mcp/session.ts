// What a tool is given: where it stands, which runs the server drives, and the client that asks.
import type { Head } from "../results/result.ts";
import type { Listener, Surroundings } from "../services/request.ts";
import type { BackgroundRuns } from "../services/runs/background.ts";

/** What all clients of one server share. */
export interface Serving {
  readonly surroundings: Surroundings;
  readonly runs: BackgroundRuns;
  /** Given with `--root`: then nothing that a client says widens them. */
  readonly roots: readonly string[];
  readonly mayAnswerGates: boolean;
  /** Answers that are being made: a client that has said all it wants may still read. */
  readonly answering: Set<Promise<unknown>>;
}

/** One call of a tool. */
export interface ToolUse {
  readonly serving: Serving;
  /** Folders below which workflow files may be used; at least one. */
  readonly roots: readonly string[];
  /** Seen from the first root. */
  readonly surroundings: Surroundings;
  /** Name of the client, for the record. */
  readonly client: string;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Tells the client of each step; nothing when it did not ask for progress. */
  readonly progress?: Listener;
}

/** An answer: the object of the command line, and a few words for those who read only text. */
export interface ToolAnswer {
  readonly object: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** Of answers that are no run's result. */
export const answered = (answer: Head, text: string): ToolAnswer => ({
  object: { ...answer },
  text: answer.success ? text : (answer.error ?? text),
  isError: !answer.success,
});
