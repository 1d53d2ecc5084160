// Which workers left a run to the others because they lack its key or its plugins: explains why the run waits.
import type { LeftBy, MissingRequirement } from "../../fleet.ts";
import { openValue, type Seal, type SealedPlace } from "../../state/seal.ts";
import { isUnreadable } from "../../store-error.ts";
import type { Transaction } from "../database.ts";
import type { Surrounding } from "../reader.ts";

interface LackRow {
  readonly run_id: string;
  readonly worker: string;
  readonly kind: string;
  readonly data: string | null;
}

type LackOfPlugins = Extract<MissingRequirement, { readonly kind: "plugins" }>;

/** Before a statement about the run `$1`: a worker drives it now, or its request has changed. */
export const FORGET_LACKS = "with taken as (delete from segno.lacks where run_id = $1)";

const placeOf = (runId: string, worker: string): SealedPlace => [runId, "lack", worker];

/** What is missing are words of the workflow's files: sealed as these are. */
export async function noteLack(
  sql: Transaction,
  { seal, members }: Surrounding,
  runId: string,
  lack: MissingRequirement,
): Promise<void> {
  const { kind, ...what } = lack;
  await sql.run(
    `insert into segno.lacks (run_id, worker, kind, data) values ($1, $2, $3, $4)
     on conflict (run_id, worker) do update set kind = excluded.kind, data = excluded.data`,
    [runId, members.name, kind, seal.close(JSON.stringify(what), placeOf(runId, members.name))],
  );
}

export async function lacksOf(
  { database, seal }: Surrounding,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LeftBy[]>> {
  const rows = await database.rows<LackRow>(
    "select run_id, worker, kind, data from segno.lacks where run_id = any($1::text[]) order by worker",
    [runIds],
  );
  const what = ({ run_id, worker }: LackRow): string => `why ${worker} left the run ${run_id} to others`;
  const found = new Map<string, LeftBy[]>();
  for (const { runId, ...leftBy } of database.leftOut.readable(rows, what, (row) => readLack(seal, row)))
    found.set(runId, [...(found.get(runId) ?? []), leftBy]);
  return found;
}

function readLack(seal: Seal, { run_id: runId, worker, kind, data }: LackRow): LeftBy & { readonly runId: string } {
  if (kind !== "plugins") return { runId, worker, lack: { kind: "key" } };
  try {
    const { missing, folder } = openValue<LackOfPlugins>(seal, data ?? "", placeOf(runId, worker));
    return { runId, worker, lack: { kind, missing: missing.map(String), folder } };
  } catch (problem) {
    // That worker seals with a key that this process does not have.
    if (isUnreadable(problem)) return { runId, worker, lack: { kind, missing: [], folder: null } };
    throw problem;
  }
}
