// Two people act on the same run: who was first. A number of the log says what the second person saw, and the events
// after it show whether another person was faster.
import type { RunEvent } from "../../events/registry.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import { refusedResult } from "../../results/index.ts";
import { Refused, refusal } from "../refusals.ts";

export interface FirstAct {
  readonly what:
    | "answered"
    | "started"
    | "resumed"
    | "cancelled"
    | "ended"
    | "retried"
    | "dropped"
    | "changed"
    | "reset"
    | "opened"
    | "paused";
  /** A person, or a process; null when that is not known. */
  readonly by: string | null;
  readonly at: string | null;
  readonly answer?: string;
}

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

/** A number beyond the log's end is refused: with it, no action would ever count as too late. */
export async function requireSeen(
  { runId, lastSeq }: Pick<RunReader, "runId" | "lastSeq">,
  seq: number,
): Promise<void> {
  const last = await lastSeq;
  if (seq > last)
    throw refusal(
      `the run ${runId} has ${last} events, so number ${seq} cannot have been seen: send the \`seq\` you saw`,
      { runId },
    );
}

/** Throws when the run was resumed after that number, or is being driven. */
export async function requireNotDriven(store: RunStore, reader: Reading, seq: number): Promise<void> {
  const { runId } = reader;
  const resumed = await lastOf(reader, seq, "run_resumed");
  const holder = await reader.holder();
  const driver = holder ? `process ${holder.pid} on ${holder.host}` : null;
  if (resumed) throw tooLate(runId, "resumed", resumed, resumed.data.by ?? driver);
  if (holder && (await store.state.liveness.holderIsAlive(holder, Date.now()))) {
    const first = await beginOfDrive(reader, { what: "resumed", by: driver, at: holder.since });
    const who = first.by === driver ? "" : `: ${first.by} ${first.what} it`;
    throw new TooLate(`the run ${runId} is being driven by ${driver}, since ${holder.since}${who}`, first, runId);
  }
}

/** Who began the drive that goes on now; `otherwise` where the log has no name. */
async function beginOfDrive(reader: Reading, otherwise: FirstAct): Promise<FirstAct> {
  const begun = await lastOf(reader, 0, "workflow_started", "run_resumed");
  if (begun?.type === "workflow_started")
    return { what: "started", by: begun.data.started_by ?? otherwise.by, at: begun.ts };
  return begun ? { what: "resumed", by: begun.data.by ?? otherwise.by, at: begun.ts } : otherwise;
}

/** Before a run is taken from the process that drives it: throws when it was resumed after that number. */
export async function requireNotResumed(reader: Reading, seq: number): Promise<void> {
  const resumed = await lastOf(reader, seq, "run_resumed");
  if (resumed) throw tooLate(reader.runId, "resumed", resumed, resumed.data.by);
}

/** Throws when the run ended, was cancelled, or began another drive after that number: that one the person never saw. */
export async function requireSameDrive(reader: Reading, seq: number): Promise<void> {
  const { runId } = reader;
  const since = await lastOf(
    reader,
    seq,
    ...(["workflow_completed", "workflow_failed", "run_cancelled", "run_resumed", "workflow_started"] as const),
  );
  if (!since) return;
  switch (since.type) {
    case "run_resumed":
      throw tooLate(runId, "resumed", since, since.data.by);
    case "workflow_started":
      throw tooLate(runId, "started", since, since.data.started_by);
    case "run_cancelled":
      throw tooLate(runId, "cancelled", since, since.data.by);
    default: {
      const first = { what: "ended", by: null, at: since.ts } as const;
      throw new TooLate(`the run ${runId} has ended by itself, at ${since.ts}`, first, runId);
    }
  }
}

function tooLate(runId: string, what: FirstAct["what"], { ts }: RunEvent, by: string | null = null): TooLate {
  const who = by === null ? "" : ` by ${by}`;
  const when = what === "started" ? "after what you saw of it" : "already";
  return new TooLate(`the run ${runId} was ${what} ${when}${who}, at ${ts}`, { what, by, at: ts }, runId);
}

export async function lastOf<Type extends RunEvent["type"]>(
  reader: Pick<RunReader, "events">,
  seq: number,
  ...types: readonly Type[]
): Promise<Extract<RunEvent, { readonly type: Type }> | undefined> {
  let found: RunEvent | undefined;
  for await (const event of reader.events(seq)) if ((types as readonly string[]).includes(event.type)) found = event;
  return found as Extract<RunEvent, { readonly type: Type }> | undefined;
}
