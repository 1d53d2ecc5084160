// What is known of a run before its journal is read.
import { isoTime } from "../rows/run-row.ts";
import type { RunMeta } from "../run-reader.ts";
import { StoreError } from "../store-error.ts";
import { requireRunId } from "./lease.ts";
import type { Surrounding } from "./reader.ts";
import { type FleetRunRow, withTexts } from "./state/run-index.ts";

export type MetaRow = FleetRunRow & Pick<RunMeta, "durability" | "version">;

export function metaOfRow(row: MetaRow): RunMeta {
  const { run_id: runId, workflow, file, durability, version, started } = withTexts(row);
  return { runId, workflow, file, durability, version, created: isoTime(started) };
}

export async function metaOfRun({ database }: Pick<Surrounding, "database">, runId: string): Promise<RunMeta> {
  requireRunId(runId);
  const [row] = await database.rows<MetaRow>("select * from segno.runs where run_id = $1", [runId]);
  if (!row) throw new StoreError("missing", `There is no run ${runId} in ${database.shown}.`, database.shown);
  return metaOfRow(row);
}
