// Conflicts of two people who act on the same run or letter: the second gets what the first did. The caller sends the
// number of the last event that the person saw; events after it show what happened since.
import type { RunEvent } from "../../../base/events/registry.ts";
import { refusedResult } from "../../../base/results/index.ts";
import { type LetterSelection, selectLetters } from "../../../services/dead-letters/select.ts";
import { stepThatRaised } from "../../../services/dead-letters/view.ts";
import { Refused, refusal } from "../../../services/refusals.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import { actsOn } from "../../../storage/letter-acts.ts";
import type { RunReader } from "../../../storage/run-reader.ts";
import type { Letter } from "../../../storage/shared-state.ts";
import type { RunStore } from "../../../storage/store.ts";
import type { WatchedRuns } from "../views/watched-runs.ts";

interface FirstAct {
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

async function lastOf<Type extends RunEvent["type"]>(
  reader: Pick<RunReader, "events">,
  seq: number,
  ...types: readonly Type[]
): Promise<Extract<RunEvent, { readonly type: Type }> | undefined> {
  let found: RunEvent | undefined;
  for await (const event of reader.events(seq)) if ((types as readonly string[]).includes(event.type)) found = event;
  return found as Extract<RunEvent, { readonly type: Type }> | undefined;
}

export type LettersWanted =
  | { readonly ids: readonly string[] }
  | {
      readonly filter: Omit<LetterSelection, "ids"> & { readonly step?: string };
      /** How many they were shown. */
      readonly count: number;
    };

/** Open letters of runs that are shown here. Throws when there are not those that the person saw. */
export async function lettersWanted(
  watched: WatchedRuns,
  wanted: LettersWanted,
  session: Pick<Session, "reader">,
): Promise<readonly Letter[]> {
  if ("ids" in wanted) return named(watched, wanted.ids, session);
  const { step, ...selection } = wanted.filter;
  if ([step, ...Object.values(selection)].every((part) => part === undefined))
    throw refusal("say which letters: ids, or a filter");
  const found = await selectLetters(watched.store, { kind: "*", ...selection }, ["open"], session);
  const shown = await onlyShown(watched, found);
  const letters = step === undefined ? shown : shown.filter((letter) => stepThatRaised(letter) === step);
  if (letters.length !== wanted.count)
    throw new TooLate(`there are ${letters.length} such letters now, and you were shown ${wanted.count}`, UNKNOWN.open);
  if (letters.length === 0) throw refusal("no open letter is like that");
  return letters;
}

async function named(
  watched: WatchedRuns,
  ids: readonly string[],
  session: Pick<Session, "reader">,
): Promise<readonly Letter[]> {
  const found = await selectLetters(watched.store, { ids }, [], session);
  const letters = await onlyShown(watched, found);
  if (letters.length < found.length) throw refusal("one of these letters is of a run that is not shown here");
  const gone = letters.find(({ status }) => status !== "open");
  if (gone) throw await tooLateForLetter(watched.store, gone);
  return letters;
}

async function onlyShown(watched: WatchedRuns, letters: readonly Letter[]): Promise<readonly Letter[]> {
  const shown = await Promise.all(
    letters.map(async ({ runId }) => {
      const run = await watched.store.summary(runId);
      return run !== undefined && watched.isShown(run.file);
    }),
  );
  return letters.filter((_, index) => shown[index]);
}

/** `letter`: one that is no longer open. */
async function tooLateForLetter(store: RunStore, letter: Letter): Promise<TooLate> {
  const first = await firstOn(store, letter);
  const what = letter.status === "retrying" ? "being retried" : letter.status;
  const who = first.by === null ? "" : `: ${first.by} ${first.what} ${first.what === "resumed" ? "its run" : "it"}`;
  const when = first.at === null ? "" : `${who === "" ? "," : ""} at ${first.at}`;
  return new TooLate(`the letter ${letter.id} is ${what} already${who}${when}`, first, letter.runId);
}

async function firstOn(store: RunStore, letter: Letter): Promise<FirstAct> {
  const act = actsOn(letter).at(-1);
  if (letter.status !== "resolved") return act ?? UNKNOWN[letter.status];
  // A resume of its run resolves a letter as well, and may have come after a retry that failed.
  const resumed = await reading(store, letter.runId, (reader) => lastOf(reader, 0, "run_resumed"));
  if (act && (!resumed || resumed.data.by === undefined || resumed.data.by === act.by)) return act;
  return resumed ? { what: "resumed", by: resumed.data.by ?? null, at: resumed.ts } : UNKNOWN.resolved;
}

/** Letters that an older Segno changed have no names in them. */
const UNKNOWN: Readonly<Record<Letter["status"], FirstAct>> = {
  open: { what: "changed", by: null, at: null },
  retrying: { what: "retried", by: null, at: null },
  resolved: { what: "retried", by: null, at: null },
  dropped: { what: "dropped", by: null, at: null },
};
