// Whoever has no key must not place anything on a fleet that has one: its workers use nothing that is not sealed.
import { StoreError } from "../store-error.ts";
import type { Queries } from "./database.ts";
import { type FleetMembers, isHeard } from "./members.ts";
import { MARK } from "./seal.ts";

/** Its workers say so, and so does its newest run where none is there. */
export async function requireUnsealed(sql: Queries, members: FleetMembers): Promise<void> {
  const [fleet] = await sql.rows<{ sealed: boolean }>(
    `select exists (
         select 1 from segno.workers
         where not dead and ${isHeard(1, 2)} and labels::json ->> 'kind' = 'worker' and labels::json ->> 'sealed' = 'true'
       ) or coalesce((
         select starts_with(request, $3) from segno.runs where request is not null order by placed_at desc limit 1
       ), false) as sealed`,
    [members.clock, members.silenceMs, MARK],
  );
  if (!fleet?.sealed) return;
  throw new StoreError(
    "sealed",
    "This fleet is sealed, and SEGNO_SEAL_KEY is not set here: its workers use nothing that is not sealed, and what they record could not be read here. Nothing was placed. Set it to the key that the workers have.",
    "SEGNO_SEAL_KEY",
  );
}
