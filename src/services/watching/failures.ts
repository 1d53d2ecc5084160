// How runs failed, ended themselves badly, or went on without something, for lists: the step, the kind and the message,
// read once for each ending.
import { apply, initialState } from "../../events/fold.ts";
import type { RunEvent } from "../../events/registry.ts";
import { currentWarnings } from "../../events/warnings.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { redactorFor } from "../read-run.ts";
import type { Surroundings } from "../request.ts";
import { reading } from "../store.ts";
import { stepOf } from "./standing.ts";

export interface RunFailure {
  /** With its sub-workflows before it. */
  readonly step: string | null;
  readonly kind: string | null;
  readonly error_type: string;
  readonly message: string;
  readonly at: string;
}

/** The word for a run that ended itself as failed: no error of a step. */
export const ENDED_ITSELF = "WorkflowTerminated";

type Ended = Pick<StoredRun, "runId" | "status" | "ended" | "exitCode">;

/** The end of a run is among its last events: hooks and exports may come after it. */
const LAST = 50;
/** What a group lost may be anywhere in the journal; of a longer one a list does not say it. */
const LONGEST_READ = 20_000;

export class RunFailures {
  readonly #store: RunStore;
  readonly #surroundings: Pick<Surroundings, "env">;
  readonly #known = new Map<string, Promise<RunFailure | null>>();

  constructor(store: RunStore, surroundings: Pick<Surroundings, "env">) {
    this.#store = store;
    this.#surroundings = surroundings;
  }

  /** What went wrong in a run; nothing when all went well, or it cannot be read. */
  of(run: Ended): Promise<RunFailure | null> {
    const read = readerFor(run);
    if (!read) return Promise.resolve(null);
    const ending = `${run.runId} ${run.ended}`;
    const known = this.#known.get(ending) ?? this.#read(run.runId, read).catch(() => null);
    this.#known.set(ending, known);
    return known;
  }

  #read(runId: string, read: ReadFailure): Promise<RunFailure | null> {
    return reading(this.#store, runId, async (reader) => {
      const found = await read(reader);
      if (!found) return null;
      const { at, ...shown } = found;
      const redactor = await redactorFor(reader, this.#surroundings);
      return { ...(redactor.value(shown) as typeof shown), at };
    });
  }
}

/** Whether a run has anything to say here; the index knows. */
export const wentWrong = (run: Ended): boolean => readerFor(run) !== null;

type ReadFailure = (reader: RunReader) => Promise<RunFailure | null>;

function readerFor({ status, exitCode }: Ended): ReadFailure | null {
  if (status === "failed") return howItFailed;
  if (status === "terminated" && exitCode !== 0) return whyItEndedItself;
  return status === "degraded" ? whatItLost : null;
}

async function lastOf<Type extends RunEvent["type"]>(
  reader: RunReader,
  type: Type,
): Promise<Extract<RunEvent, { readonly type: Type }> | undefined> {
  let last: RunEvent | undefined;
  for await (const event of reader.events(Math.max(0, (await reader.lastSeq) - LAST)))
    if (event.type === type) last = event;
  return last as Extract<RunEvent, { readonly type: Type }> | undefined;
}

async function howItFailed(reader: RunReader): Promise<RunFailure | null> {
  const failed = await lastOf(reader, "workflow_failed");
  if (!failed) return null;
  const { agent_name, agent_path = [], error, error_type, message } = failed.data;
  return { step: stepOf(agent_path, agent_name), kind: error?.kind ?? null, error_type, message, at: failed.ts };
}

async function whyItEndedItself(reader: RunReader): Promise<RunFailure | null> {
  const ended = (await lastOf(reader, "workflow_failed")) ?? (await lastOf(reader, "workflow_completed"));
  if (!ended?.data.is_explicit) return null;
  const { terminated_by: step = null, termination_reason: message = "" } = ended.data;
  return { step, kind: null, error_type: ENDED_ITSELF, message, at: ended.ts };
}

async function whatItLost(reader: RunReader): Promise<RunFailure | null> {
  if ((await reader.lastSeq) > LONGEST_READ) return null;
  const state = initialState(reader.runId);
  let at = "";
  for await (const event of reader.events()) {
    apply(state, event);
    at = event.ts;
  }
  const lost = currentWarnings(state).find(({ kind }) => kind === "lost_member");
  if (!lost) return null;
  const { path, node, message, error } = lost;
  return { step: stepOf(path, node), kind: error?.kind ?? null, error_type: error?.kind ?? "", message, at };
}
