// Which steps run in which run right now, and how each went last: what the `agent_availability` policy asks.
import type { Connection } from "../../sqlite/connection.ts";
import { immediately } from "../../sqlite/transaction.ts";
import type { Owner, Owners } from "./owners.ts";

export class RunningTable {
  readonly #connection: Connection;
  readonly #owners: Owners;

  constructor(connection: Connection, owners: Owners) {
    this.#connection = connection;
    this.#owners = owners;
  }

  /** `key` is the path key of the attempt: one run may run a step several times at once. */
  start(step: string, runId: string, key: string, owner: Owner = this.#owners.self()): void {
    this.#connection
      .prepare("INSERT OR REPLACE INTO running (step, run_id, key, owner) VALUES (?, ?, ?, ?)")
      .run([step, runId, key, owner]);
  }

  /** Without `ok` it never ran: how the step went last stays as it was. */
  end(step: string, runId: string, key: string, ok?: boolean): void {
    immediately(this.#connection, () => {
      this.#connection.prepare("DELETE FROM running WHERE step = ? AND run_id = ? AND key = ?").run([step, runId, key]);
      if (ok !== undefined)
        this.#connection.prepare("INSERT OR REPLACE INTO last_outcomes VALUES (?, ?)").run([step, ok ? 1 : 0]);
    });
  }

  /** Runs other than `runId` in which a living process runs the step. */
  elsewhere(step: string, runId: string): string[] {
    const rows = this.#connection
      .prepare<{ run_id: string; owner: Owner }>("SELECT run_id, owner FROM running WHERE step = ? AND run_id <> ?")
      .all([step, runId]);
    return [...new Set(rows.filter((row) => this.#owners.isAlive(row.owner)).map((row) => row.run_id))];
  }

  /** Whether the step's last execution in any run failed. */
  lastFailed(step: string): boolean {
    return (
      this.#connection.prepare<{ ok: number }>("SELECT ok FROM last_outcomes WHERE step = ?").get([step])?.ok === 0
    );
  }

  /** Forgets what a run left behind, as the next drive does first. */
  clear(runId: string): void {
    this.#connection.prepare("DELETE FROM running WHERE run_id = ?").run([runId]);
  }
}
