// Places for a limited number of steps at a time, over all runs. Two can never take the last one.
import { mapMaybe } from "../../engine/awaitable.ts";
import type { Slot, Slots } from "../shared-state.ts";
import { first, rows, run, type SqlWork, type StateHost, sql, write } from "./sql.ts";

export function slotTable(host: StateHost): Slots {
  const slots = host.table("slots");
  const keyOf = (scope: string): string => host.names.compared(scope)[0];

  return {
    acquire: (scope, max, owner) =>
      mapMaybe(owner ?? host.self(), (name) =>
        host.transaction(function* (): SqlWork<Slot | undefined> {
          const key = keyOf(scope);
          yield* host.lock(`segno slots ${key}`);
          const lives = yield* host.living(sql`${slots} where scope = ${key}`);
          yield* run(sql`delete from ${slots} where scope = ${key} and not ${lives}`);
          const found = yield* rows<{ slot: number }>(sql`select slot from ${slots} where scope = ${key}`);
          const taken = new Set(found.map(({ slot }) => slot));
          if (taken.size >= max) return undefined;
          let slot = 1;
          while (taken.has(slot)) slot += 1;
          yield* run(sql`insert into ${slots} (scope, slot, owner) values (${key}, ${slot}, ${name})`);
          return { scope, slot, owner: name };
        }),
      ),

    release: ({ scope, slot, owner }) =>
      write(host, sql`delete from ${slots} where scope = ${keyOf(scope)} and slot = ${slot} and owner = ${owner}`),

    taken: (scope) =>
      host.do(function* () {
        const inScope = sql`${slots} where scope = ${keyOf(scope)}`;
        const lives = yield* host.living(inScope);
        const row = yield* first<{ taken: number | string }>(
          sql`select count(*) as taken from ${inScope} and ${lives}`,
        );
        return Number(row?.taken ?? 0);
      }),
  };
}
