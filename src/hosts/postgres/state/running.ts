// Which steps run in which run right now, on any machine, and how each went last.
import type { ProcessName } from "../../liveness.ts";
import type { RunningSteps, StepElsewhere } from "../../shared-state.ts";
import type { Database } from "../database.ts";
import { comparedKey } from "../kept-key.ts";
import { type FleetMembers, nowAt } from "../members.ts";
import type { Seal } from "../seal.ts";

export class RunningTable implements RunningSteps {
  readonly #database: Database;
  readonly #members: FleetMembers;
  readonly #seal: Seal;

  constructor(database: Database, members: FleetMembers, seal: Seal) {
    this.#database = database;
    this.#members = members;
    this.#seal = seal;
  }

  #compared(stepName: string, ofAttempt: string): readonly [step: string, key: string] {
    return [comparedKey(stepName), comparedKey(ofAttempt, this.#seal)];
  }

  async begin(stepName: string, runId: string, ofAttempt: string, owner?: ProcessName): Promise<StepElsewhere> {
    const [step, key] = this.#compared(stepName, ofAttempt);
    const name = owner ?? (await this.#members.self());
    const { clock, silenceMs } = this.#members;
    return this.#database.transaction(async (sql) => {
      await sql.rows("select pg_advisory_xact_lock(hashtextextended('segno step ' || $1, 0))", [step]);
      const others = await sql.rows<{ run_id: string }>(
        `select distinct run_id from segno.running
         where step = $1 and run_id <> $4 and segno.lives(owner, ${nowAt(2)}, $3) order by run_id`,
        [step, clock, silenceMs, runId],
      );
      if (others.length === 0)
        await sql.run(
          `insert into segno.running (step, run_id, key, owner) values ($1, $2, $3, $4)
           on conflict (step, run_id, key) do update set owner = excluded.owner`,
          [step, runId, key, name],
        );
      const last = await sql.rows<{ ok: boolean }>("select ok from segno.last_outcomes where step = $1", [step]);
      return { runningIn: others.map(({ run_id }) => run_id), lastFailed: last[0]?.ok === false };
    });
  }

  end(stepName: string, runId: string, ofAttempt: string, ok?: boolean): Promise<void> {
    const [step, key] = this.#compared(stepName, ofAttempt);
    return this.#database.transaction(async (sql) => {
      await sql.run("delete from segno.running where step = $1 and run_id = $2 and key = $3", [step, runId, key]);
      if (ok !== undefined)
        await sql.run(
          "insert into segno.last_outcomes values ($1, $2) on conflict (step) do update set ok = excluded.ok",
          [step, ok],
        );
    });
  }

  async clear(runId: string): Promise<void> {
    await this.#database.run("delete from segno.running where run_id = $1", [runId]);
  }
}
