// Places for a limited number of steps at a time, over all machines. Two can never take the last one.
import type { ProcessName } from "../../liveness.ts";
import type { Slot, Slots } from "../../shared-state.ts";
import type { Database } from "../database.ts";
import { comparedKey } from "../kept-key.ts";
import { type FleetMembers, nowAt } from "../members.ts";

const LIVES = `segno.lives(owner, ${nowAt(2)}, $3)`;

export class SlotTable implements Slots {
  readonly #database: Database;
  readonly #members: FleetMembers;

  constructor(database: Database, members: FleetMembers) {
    this.#database = database;
    this.#members = members;
  }

  async acquire(scope: string, max: number, owner?: ProcessName): Promise<Slot | undefined> {
    const name = owner ?? (await this.#members.self());
    const { clock, silenceMs } = this.#members;
    const key = comparedKey(scope);
    return this.#database.transaction(async (sql) => {
      await sql.rows("select pg_advisory_xact_lock(hashtextextended('segno slots ' || $1, 0))", [key]);
      await sql.run(`delete from segno.slots where scope = $1 and not ${LIVES}`, [key, clock, silenceMs]);
      const rows = await sql.rows<{ slot: number }>("select slot from segno.slots where scope = $1", [key]);
      const taken = new Set(rows.map(({ slot }) => slot));
      if (taken.size >= max) return undefined;
      let slot = 1;
      while (taken.has(slot)) slot += 1;
      await sql.run("insert into segno.slots (scope, slot, owner) values ($1, $2, $3)", [key, slot, name]);
      return { scope, slot, owner: name };
    });
  }

  async release({ scope, slot, owner }: Slot): Promise<void> {
    await this.#database.run("delete from segno.slots where scope = $1 and slot = $2 and owner = $3", [
      comparedKey(scope),
      slot,
      owner,
    ]);
  }

  async taken(scope: string): Promise<number> {
    const rows = await this.#database.rows<{ taken: string }>(
      `select count(*) as taken from segno.slots where scope = $1 and ${LIVES}`,
      [comparedKey(scope), this.#members.clock, this.#members.silenceMs],
    );
    return Number(rows[0]?.taken ?? 0);
  }
}
