// Writes the journal of a run anew without the secrets that turned up in it, by who has the run's lease.
import type { RunEvent } from "../../events/registry.ts";
import { textsOfData } from "../data-text.ts";
import { FORGOTTEN } from "../kept-secrets.ts";
import { type BlobTable, encodedRow } from "./blobs.ts";
import { MAIN } from "./lease.ts";
import type { BatchRow, Surrounding } from "./reader.ts";
import { keepSecrets } from "./secrets.ts";

export interface OwnJournal {
  readonly surrounding: Surrounding;
  readonly runId: string;
  readonly epoch: number;
  readonly blobs: BlobTable;
  decoded(row: BatchRow): Promise<readonly RunEvent[]>;
  lost(): Promise<Error>;
}

export async function forgetSecretsIn(journal: OwnJournal, shown: (event: RunEvent) => RunEvent): Promise<void> {
  const { surrounding, runId, epoch, blobs } = journal;
  const { database, seal } = surrounding;
  const rows = await database.rows<BatchRow>(
    "select first_seq, last_seq, data from segno.events where run_id = $1 and stream = '' order by first_seq",
    [runId],
  );
  const big = new Map<string, string>();
  const written: { readonly first: number; readonly data: string }[] = [];
  for (const row of rows) {
    const first = Number(row.first_seq);
    const events = (await journal.decoded(row)).map(shown);
    const text = encodedRow(runId, events, textsOfData(events), big);
    written.push({ first, data: seal.close(text, [runId, MAIN, first]) });
  }
  await blobs.keep(big);
  await database.transaction(async (sql) => {
    const ours = await sql.rows(
      "select 1 from segno.leases where run_id = $1 and stream = '' and epoch = $2 for share",
      [runId, epoch],
    );
    if (ours.length === 0) throw await journal.lost();
    for (const { first, data } of written)
      await sql.run("update segno.events set data = $3 where run_id = $1 and stream = '' and first_seq = $2", [
        runId,
        first,
        data,
      ]);
    // What branches recorded stands among the run's own events as well.
    await sql.run("delete from segno.events where run_id = $1 and stream <> ''", [runId]);
    await sql.run("delete from segno.blobs where run_id = $1 and not hash = any($2::text[])", [runId, [...big.keys()]]);
    await keepSecrets(sql, seal, runId, FORGOTTEN);
  });
}
