// Secrets of a run: its secret inputs are kept sealed, or not at all. Those that turned up stand in its events as well, and
// are sealed when these are.
import { type KeptSecrets, keptFrom, NOTHING_KEPT, textOfKept } from "../../../storage/rows/columns.ts";
import { keyProblem, type Seal } from "../../../storage/state/seal.ts";
import { ONE_ROW, run, type Sql, sql } from "../../../storage/state/sql.ts";
import { type Database, doneIn, type Queries } from "./database.ts";

export function requireSeal({ isSealed }: Seal): void {
  if (isSealed) return;
  throw keyProblem(
    "The workflow has secret inputs, and SEGNO_SEAL_KEY is not set: their values would stand in the database for everybody to read. Set the key here and on the workers (openssl rand -hex 32).",
  );
}

/** Keeps them, as SQL. Nothing is kept where the table `when` has no row. */
export function keepingSecrets(seal: Seal, runId: string, kept: KeptSecrets, when: Sql = ONE_ROW): Sql {
  if (Object.keys(kept.inputs).length > 0) requireSeal(seal);
  return sql`insert into segno.secrets (run_id, data)
    select ${runId}, ${seal.close(textOfKept(kept), [runId, "secrets"])} from ${when}
    on conflict (run_id) do update set data = excluded.data`;
}

export async function keepSecrets(queries: Queries, seal: Seal, runId: string, kept: KeptSecrets): Promise<void> {
  await doneIn(queries, run(keepingSecrets(seal, runId, kept)));
}

export async function keptSecrets(queries: Queries, seal: Seal, runId: string): Promise<KeptSecrets> {
  const [row] = await queries.rows<{ data: string }>("select data from segno.secrets where run_id = $1", [runId]);
  return row ? keptFrom(seal.open(row.data, [runId, "secrets"])) : NOTHING_KEPT;
}

/** Branches of the run keep what they meet as well: one after the other. */
export const changeSecrets = (
  database: Database,
  seal: Seal,
  runId: string,
  change: (kept: KeptSecrets) => Partial<KeptSecrets>,
): Promise<void> =>
  database.transaction(async (queries) => {
    await queries.rows("select 1 from segno.runs where run_id = $1 for no key update", [runId]);
    const kept = await keptSecrets(queries, seal, runId);
    await keepSecrets(queries, seal, runId, { ...kept, ...change(kept) });
  });
