// What an attempt at a step came to. Executors return it; they do not throw for things that happen to users.
import type { Raised } from "./envelope.ts";

export type Outcome =
  | { readonly ok: true; readonly output: unknown; readonly changes?: AgentChanges | undefined }
  /** `output` is what the step produced before it raised; absent when there was none. */
  | {
      readonly ok: false;
      readonly error: Raised;
      readonly output?: unknown;
      readonly changes?: AgentChanges | undefined;
    };

/** What an agent that works in a folder changed there: beside its output, which is what it answered. */
export interface AgentChanges {
  /** By its path alone where a scenario says no more of a file. */
  readonly files: readonly (AgentFileChange | string)[];
  readonly added: number;
  readonly removed: number;
  /** There were more files in the folder than are looked at. */
  readonly incomplete?: true | undefined;
  /** Read as `<step>.denied`. Absent: nothing was denied. */
  readonly denied?: readonly AgentDenial[] | undefined;
}

/** Something that an agent asked for, or tried, and was not allowed. */
export interface AgentDenial {
  readonly what: string;
  /** A person, or `policy`: the sandbox did not allow it and no person was asked. */
  readonly by: string;
  /** ISO time. */
  readonly at: string;
}

export interface AgentFileChange {
  /** Relative to the agent's folder. */
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
  /** Null where lines were not counted: a large file, or no text. */
  readonly added: number | null;
  readonly removed: number | null;
}

export const succeeded = (output: unknown, changes?: AgentChanges): Outcome =>
  changes === undefined ? { ok: true, output } : { ok: true, output, changes };

export const failed = (error: Raised, output?: unknown, changes?: AgentChanges): Outcome => ({
  ok: false,
  error,
  ...(output === undefined ? {} : { output }),
  ...(changes === undefined ? {} : { changes }),
});
