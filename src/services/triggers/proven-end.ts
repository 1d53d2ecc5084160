// Whether a run ended as the index says. On a sealed fleet anybody who writes to the database can write the index, and would
// start runs with it: there an end counts that the run's driver sealed, or that its sealed journal has.
import type { RunStore } from "../../hosts/store.ts";
import type { EndedRun } from "../../triggers/context.ts";
import { recordedEnd } from "../runs/recorded-end.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";

export interface ProvenEnd {
  readonly run: EndedRun;
  /** By which the same end is known again. */
  readonly marks: readonly string[];
}

/** Nothing for an end that the run itself knows nothing of. */
export async function provenEnd(store: RunStore, run: EndedRun, session: Session): Promise<ProvenEnd | undefined> {
  const byTime = `run:${run.run_id}:${run.ended_at}`;
  if (!store.sealedEnd) return { run, marks: [byTime] };
  // By the number of its last event: the time in the index can be written by anybody.
  const marksOf = (seq: number): readonly string[] => [`run:${run.run_id}#${seq}`, byTime];
  const sealed = await store.sealedEnd(run.run_id);
  if (sealed && isSame(run, sealed) && sealed.ended === run.ended_at) return { run, marks: marksOf(sealed.seq) };
  // An older Segno may have driven it, which sealed no end: the journal is read through.
  const end = await reading(store, run.run_id, (reader) => recordedEnd(reader, session));
  if (end.ended === null || !isSame(run, { ...end, kind: end.failingKind })) return undefined;
  return { run: { ...run, ended_at: end.ended }, marks: marksOf(end.seq) };
}

const isSame = (
  run: EndedRun,
  { workflow, status, kind }: { readonly workflow: string; readonly status: string; readonly kind: string | null },
): boolean => run.workflow === workflow && run.status === status && run.kind === kind;
