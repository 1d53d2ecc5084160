// Secrets of a run: its secret inputs are kept sealed, or not at all. Those that turned up stand in its events as well, and
// are sealed when these are.
import { type KeptSecrets, keptFrom, NOTHING_KEPT, textOfKept } from "../kept-secrets.ts";
import type { Seal } from "../state/seal.ts";
import { StoreError } from "../store-error.ts";
import type { Database, Queries } from "./database.ts";

export function requireSeal({ isSealed }: Seal): void {
  if (isSealed) return;
  throw new StoreError(
    "sealed",
    "The workflow has secret inputs, and SEGNO_SEAL_KEY is not set: their values would stand in the database for everybody to read. Set the key here and on the workers (openssl rand -hex 32).",
    "SEGNO_SEAL_KEY",
  );
}

export async function keepSecrets(sql: Queries, seal: Seal, runId: string, kept: KeptSecrets): Promise<void> {
  if (Object.keys(kept.inputs).length > 0) requireSeal(seal);
  await sql.run(
    "insert into segno.secrets (run_id, data) values ($1, $2) on conflict (run_id) do update set data = excluded.data",
    [runId, seal.close(textOfKept(kept), [runId, "secrets"])],
  );
}

export async function keptSecrets(sql: Queries, seal: Seal, runId: string): Promise<KeptSecrets> {
  const [row] = await sql.rows<{ data: string }>("select data from segno.secrets where run_id = $1", [runId]);
  return row ? keptFrom(seal.open(row.data, [runId, "secrets"])) : NOTHING_KEPT;
}

/** Branches of the run keep what they meet as well: one after the other. */
export const changeSecrets = (
  database: Database,
  seal: Seal,
  runId: string,
  change: (kept: KeptSecrets) => Partial<KeptSecrets>,
): Promise<void> =>
  database.transaction(async (sql) => {
    await sql.rows("select 1 from segno.runs where run_id = $1 for no key update", [runId]);
    const kept = await keptSecrets(sql, seal, runId);
    await keepSecrets(sql, seal, runId, { ...kept, ...change(kept) });
  });
