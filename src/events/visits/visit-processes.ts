// Processes that may still run: a resume ends those that outlived their driver.
import type { EventData } from "../registry.ts";
import type { VisitRecord } from "./visit-record.ts";

export class VisitProcesses {
  readonly #byPid = new Map<number, VisitRecord>();

  spawned(visit: VisitRecord, { pid, started_at }: EventData<"script_spawned">): void {
    visit.process = { pid, started_at };
    this.#byPid.set(pid, visit);
  }

  orphanEnded(pid: number): void {
    this.ended(this.#byPid.get(pid));
  }

  ended(visit: VisitRecord | undefined): void {
    if (!visit?.process) return;
    this.#byPid.delete(visit.process.pid);
    visit.process = undefined;
  }
}
