// What a tool is given: its place, the runs that the server drives, and the client that asks.
import type { Result, ResultGate } from "../results/result.ts";
import type { BackgroundRuns } from "../services/runs/background.ts";
import type { Session } from "../services/session/session.ts";

/** What all clients of one server share. */
export interface Serving {
  readonly session: Session;
  /** Those that are driven inside the server. */
  readonly runs: BackgroundRuns;
  /** Given with `--root`: then nothing that a client says widens them. */
  readonly roots: readonly string[];
  readonly mayAnswerGates: boolean;
  /** With `--tools`: workflows that ask for it are tools of their own. */
  readonly hasWorkflowTools: boolean;
  /** Answers that are being made: a client that has said all it wants may still read. */
  readonly answering: Set<Promise<unknown>>;
  /** Aborts when the server ends: no answer waits for a run any longer. */
  readonly ending: AbortSignal;
}

/** One call of a tool. */
export interface ToolUse {
  readonly serving: Serving;
  /** Folders below which workflow files may be used; at least one. */
  readonly roots: readonly string[];
  /** Seen from the first root. */
  readonly session: Session;
  /** Name of the client, for the record. */
  readonly client: string;
  /** Aborts when the client cancels the request, or is gone. */
  readonly signal: AbortSignal;
  /** Whether a connection that closes means that its request is cancelled, as the protocol says of stateless HTTP. */
  readonly closingCancels: boolean;
  /** Tells the client of each step; nothing when it did not ask for progress. */
  readonly progress?: (message: string) => void;
}

/** An answer: the object of the command line, and a few words for those who read only text. */
export interface ToolAnswer {
  readonly object: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
  /** The gate that the run which the client waits for has paused at. */
  readonly waitsAt?: WaitingGate;
}

export interface WaitingGate {
  readonly run: string;
  readonly gate: ResultGate;
}

/** The first gate that any client's answer counts for; one for certain people is left to them. */
export function gateForClient({ status, run_id, gate, gates }: Result): WaitingGate | undefined {
  if (status !== "paused" || run_id === null || !gate) return undefined;
  const open = (gates ?? [gate]).find((one) => one.approvers === undefined && one.not_by === undefined);
  return open && { run: run_id, gate: open };
}

/** The same call, seen from the root that its file is below. */
export const belowRoot = (use: ToolUse, root: string): ToolUse => ({
  ...use,
  session: { ...use.session, cwd: root },
});
