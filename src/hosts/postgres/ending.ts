// How a run ended or paused, sealed by who drove it. What its row says besides can be written by everybody who writes to the
// database, and so can the end of its journal be taken away.
import type { SealedEnd } from "../store.ts";
import { ChangedInDatabase } from "../store-error.ts";
import type { Queries } from "./database.ts";
import { openValue, type Seal, type SealedPlace } from "./seal.ts";

const placeOf = (runId: string): SealedPlace => [runId, "ending"];

export const sealedEnding = (seal: Seal, runId: string, end: SealedEnd): string =>
  seal.close(JSON.stringify(end), placeOf(runId));

/** Nothing of a run that has not ended yet, or that an older Segno drove. */
export async function readEnding(sql: Queries, seal: Seal, runId: string): Promise<SealedEnd | undefined> {
  const [row] = await sql.rows<{ ending: string | null }>("select ending from segno.runs where run_id = $1", [runId]);
  return row?.ending == null ? undefined : openValue<SealedEnd>(seal, row.ending, placeOf(runId));
}

/** Throws when the journal is shorter than it was when the run last came to rest: steps that are done would run again. */
export function requireReached(runId: string, end: SealedEnd | undefined, lastSeq: number): void {
  if (end === undefined || lastSeq >= end.seq) return;
  throw new ChangedInDatabase(
    `The journal of run ${runId} ends at event ${lastSeq}, and it had ${end.seq} when the run came to rest: somebody took its end away in the database. The run is not gone on with; start the workflow anew.`,
    runId,
  );
}
