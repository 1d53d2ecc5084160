// A caller that cannot open a run may not change it: it could not read the result either.

import { KEY_ID_LENGTH, MARK, type Seal, sealingKey } from "../state/seal.ts";
import { StoreError } from "../store-error.ts";
import type { Queries } from "./database.ts";

/**
 * Throws when something of the run is sealed with a key that is not here, or when nothing of it is and there is a key here.
 * Unsealed data beside sealed data was put there from outside; the reader of that data detects it.
 */
export async function requireOwnRun(sql: Queries, seal: Seal, runId: string): Promise<void> {
  const { isSealed, keyIds } = seal;
  const rows = await sql.rows<{ beginning: string }>(
    `select distinct left(recorded, $2::int) as beginning from (
       select request as recorded from segno.runs where run_id = $1 and request is not null
       union all select data from segno.events where run_id = $1
     ) run order by beginning`,
    [runId, MARK.length + KEY_ID_LENGTH],
  );
  const keys = new Set(rows.flatMap(({ beginning }) => sealingKey(beginning) ?? []));
  const missing = [...keys].filter((key) => !keyIds.includes(key));
  if (missing.length > 0) {
    const [which, todo] = missing.length === 1 ? ["key", "that key"] : ["keys", "those keys"];
    const here = isSealed ? `SEGNO_SEAL_KEY has ${keyIds.join(", ")}` : "SEGNO_SEAL_KEY is not set here";
    throw notOwn(
      `The run ${runId} is sealed with the ${which} ${missing.join(", ")}, and ${here}`,
      isSealed ? `Add ${todo}, with a comma between.` : `Set it to ${todo}.`,
    );
  }
  if (isSealed && keys.size === 0 && rows.length > 0)
    throw notOwn(`The run ${runId} is not sealed, and SEGNO_SEAL_KEY is set here`, "Ask without SEGNO_SEAL_KEY.");
}

const notOwn = (why: string, todo: string): StoreError =>
  new StoreError(
    "sealed",
    `${why}: who cannot open a run cannot stop it. Nothing was asked of it. ${todo}`,
    "SEGNO_SEAL_KEY",
  );
