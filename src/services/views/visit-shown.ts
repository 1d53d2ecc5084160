// One visit in a list of visits: how it stands, and when it began and ended.
import { visitNumber } from "../../events/key.ts";
import { LEFT_RUNNING } from "../../events/run-end.ts";
import type { RunStatus } from "../../events/state/state.ts";
import type { Driven } from "../../events/visits/cut-off.ts";
import { isRecovered } from "../../events/visits/handled.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";

export interface ShownVisit {
  readonly key: string;
  readonly visit: number;
  readonly item_key: string | null;
  readonly status: "running" | "completed" | "failed" | "recovered" | "cancelled" | "cut_off" | "paused" | "reused";
  readonly attempts: number;
  readonly began_at: string | null;
  readonly ended_at: string | null;
  readonly kind: string | null;
  readonly drive: number;
}

export function shownVisit(visit: VisitRecord, status: RunStatus, driven: Driven): ShownVisit {
  const last = visit.attempts.at(-1);
  const reuse = visit.history?.reuses.at(-1);
  const isReused = reuse !== undefined && reuse.drive > (last?.drive ?? 0);
  return {
    key: visit.key,
    visit: visitNumber(visit.key),
    item_key: visit.itemKey ?? null,
    status: isReused ? "reused" : statusNow(visit, status, driven),
    attempts: last?.number ?? 0,
    began_at: visit.attempts[0]?.began?.at ?? reuse?.at ?? null,
    ended_at: last ? (last.ended?.at ?? null) : (reuse?.at ?? null),
    kind: last?.end === "failed" ? (visit.history?.errors.at(-1)?.error.kind ?? null) : null,
    drive: isReused ? reuse.drive : (last?.drive ?? 0),
  };
}

function statusNow(visit: VisitRecord, status: RunStatus, driven: Driven): ShownVisit["status"] {
  const last = visit.attempts.at(-1);
  if (last?.end === undefined) {
    if (last === undefined || last.drive < driven.drives.length || driven.isCutOff) return "cut_off";
    const left = LEFT_RUNNING[status];
    return left === "failed" ? "cut_off" : left;
  }
  switch (last.end) {
    case "ok":
      return "completed";
    case "cancelled":
      return "cancelled";
    case "failed":
      return isRecovered(visit, driven) ? "recovered" : "failed";
    default:
      return last.end satisfies never;
  }
}
