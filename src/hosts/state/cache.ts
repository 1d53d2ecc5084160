// Outcomes of steps with `cache:`, shared by all runs and found by hash.
import { mapMaybe } from "../../engine/awaitable.ts";
import type { OutcomeTable } from "../shared-state.ts";
import { isOpenTo, openValue, sealingKey } from "./seal.ts";
import { readFirst, type StateHost, sql } from "./sql.ts";

export function cacheTable(host: StateHost): OutcomeTable {
  const { seal } = host;
  const cache = host.table("cache");
  /** Kept under a key that was taken away since, or before there was one: not used, and nothing that a run may wait for. */
  const isOfOthers = (value: string): boolean =>
    !isOpenTo(seal, value) && (sealingKey(value) !== null || isJson(value));

  return {
    get: (hash) =>
      mapMaybe(
        readFirst<{ value: string }>(
          host,
          sql`select value from ${cache} where hash = ${hash} and (expires is null or expires > ${host.now()})`,
        ),
        (row) => (row && !isOfOthers(row.value) ? { value: openValue(seal, row.value, ["cache", hash]) } : undefined),
      ),

    /** And drops what has run out. */
    put(hash, value, { ttl } = {}) {
      const now = host.now();
      return host.both(
        sql`delete from ${cache} where expires <= ${now} and hash <> ${hash}`,
        sql`insert into ${cache} (hash, expires, value)
          values (${hash}, ${ttl === undefined ? null : now + ttl}, ${seal.close(JSON.stringify(value), ["cache", hash])})
          on conflict (hash) do update set expires = excluded.expires, value = excluded.value`,
      );
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
