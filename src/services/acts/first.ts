// Two people act on the same run: who was first. What the second saw is told by a number of the log, and what happened after
// it tells whether somebody was faster.
import type { RunEvent } from "../../events/registry.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import { refusedResult } from "../../results/index.ts";
import { Refused } from "../refusals.ts";

export interface FirstAct {
  readonly what: "answered" | "resumed" | "cancelled" | "ended" | "retried" | "reset";
  /** A person, or a process; null when nobody knows. */
  readonly by: string | null;
  readonly at: string | null;
}

/** Refused because somebody was faster. */
export class TooLate extends Refused {
  override readonly name = "TooLate";

  constructor(
    message: string,
    readonly first: FirstAct,
    runId?: string,
  ) {
    super(refusedResult({ message, errorType: "TooLate" }, runId === undefined ? {} : { runId }));
  }
}

type Reading = Pick<RunReader, "events" | "holder" | "runId">;

/** Throws when the run was resumed after that number, or is being driven. */
export async function requireNotDriven(store: RunStore, reader: Reading, seq: number): Promise<void> {
  const { runId } = reader;
  const holder = await reader.holder();
  const isDriven = holder !== undefined && (await store.state.liveness.holderIsAlive(holder, Date.now()));
  const by = holder ? `process ${holder.pid} on ${holder.host}` : null;
  const resumed = await lastAfter(reader, seq, "run_resumed");
  if (resumed) {
    const first = { what: "resumed", by, at: resumed.ts } as const;
    throw new TooLate(`the run ${runId} was resumed already${by ? ` by ${by}` : ""}, at ${resumed.ts}`, first, runId);
  }
  if (isDriven && holder) {
    const first = { what: "resumed", by, at: holder.since } as const;
    throw new TooLate(`the run ${runId} is being driven by ${by}, since ${holder.since}`, first, runId);
  }
}

/** For whoever takes a run from the process that drives it: throws when somebody has resumed it after that number. */
export async function requireNotResumed(reader: Reading, seq: number): Promise<void> {
  const resumed = await lastAfter(reader, seq, "run_resumed");
  if (!resumed) return;
  const first = { what: "resumed", by: null, at: resumed.ts } as const;
  throw new TooLate(`the run ${reader.runId} was resumed already, at ${resumed.ts}`, first, reader.runId);
}

/** Throws when the run ended, or was cancelled, after that number. */
export async function requireNotEnded(reader: Reading, seq: number): Promise<void> {
  const { runId } = reader;
  const ended = await lastAfter(reader, seq, "workflow_completed", "workflow_failed", "run_cancelled", "run_resumed");
  if (!ended || ended.type === "run_resumed") return;
  if (ended.type === "run_cancelled")
    throw new TooLate(
      `the run ${runId} was cancelled already, at ${ended.ts}`,
      { what: "cancelled", by: null, at: ended.ts },
      runId,
    );
  throw new TooLate(
    `the run ${runId} has ended by itself, at ${ended.ts}`,
    { what: "ended", by: null, at: ended.ts },
    runId,
  );
}

async function lastAfter<Type extends RunEvent["type"]>(
  reader: Reading,
  seq: number,
  ...types: readonly Type[]
): Promise<Extract<RunEvent, { readonly type: Type }> | undefined> {
  let found: RunEvent | undefined;
  for await (const event of reader.events(seq)) if ((types as readonly string[]).includes(event.type)) found = event;
  return found as Extract<RunEvent, { readonly type: Type }> | undefined;
}
