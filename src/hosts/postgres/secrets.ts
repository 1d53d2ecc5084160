// Secret inputs of a run: kept sealed, or not at all.
import type { SecretInputs } from "../run-reader.ts";
import { StoreError } from "../store-error.ts";
import type { Queries } from "./database.ts";
import type { Seal } from "./seal.ts";

export function requireSeal({ isSealed }: Seal): void {
  if (isSealed) return;
  throw new StoreError(
    "sealed",
    "The workflow has secret inputs, and SEGNO_SEAL_KEY is not set: their values would stand in the database for everybody to read. Set the key here and on the workers (openssl rand -hex 32).",
    "SEGNO_SEAL_KEY",
  );
}

export async function saveSecrets(sql: Queries, seal: Seal, runId: string, secrets: SecretInputs): Promise<void> {
  requireSeal(seal);
  await sql.run(
    "insert into segno.secrets (run_id, data) values ($1, $2) on conflict (run_id) do update set data = excluded.data",
    [runId, seal.close(JSON.stringify(secrets), [runId, "secrets"])],
  );
}
