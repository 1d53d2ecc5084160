// Which steps run in which run right now, and how each went last: what the `agent_availability` policy asks.
import type { ProcessName } from "../../liveness.ts";
import type { RunningSteps, StepElsewhere } from "../../shared-state.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import type { Owners } from "./owners.ts";

export class RunningTable implements RunningSteps {
  readonly #connection: Connection;
  readonly #owners: Owners;

  constructor(connection: Connection, owners: Owners) {
    this.#connection = connection;
    this.#owners = owners;
  }

  begin(step: string, runId: string, key: string, owner: ProcessName = this.#owners.self()): StepElsewhere {
    return immediately(this.#connection, () => {
      const runningIn = this.#elsewhere(step, runId);
      if (runningIn.length === 0)
        this.#connection
          .prepare("INSERT OR REPLACE INTO running (step, run_id, key, owner) VALUES (?, ?, ?, ?)")
          .run([step, runId, key, owner]);
      return { runningIn, lastFailed: this.#lastFailed(step) };
    });
  }

  end(step: string, runId: string, key: string, ok?: boolean): void {
    immediately(this.#connection, () => {
      this.#connection.prepare("DELETE FROM running WHERE step = ? AND run_id = ? AND key = ?").run([step, runId, key]);
      if (ok !== undefined)
        this.#connection.prepare("INSERT OR REPLACE INTO last_outcomes VALUES (?, ?)").run([step, ok ? 1 : 0]);
    });
  }

  #elsewhere(step: string, runId: string): string[] {
    const rows = this.#connection
      .prepare<{ run_id: string; owner: ProcessName }>(
        "SELECT run_id, owner FROM running WHERE step = ? AND run_id <> ?",
      )
      .all([step, runId]);
    return [...new Set(rows.filter((row) => this.#owners.isAlive(row.owner)).map((row) => row.run_id))];
  }

  #lastFailed(step: string): boolean {
    return (
      this.#connection.prepare<{ ok: number }>("SELECT ok FROM last_outcomes WHERE step = ?").get([step])?.ok === 0
    );
  }

  clear(runId: string): void {
    this.#connection.prepare("DELETE FROM running WHERE run_id = ?").run([runId]);
  }
}
