// The path that a run took, as a drawing needs it: which nodes ran and what became of them, which routes were taken.
import { callerOfSlot } from "../events/key.ts";
import type { RunEvent } from "../events/registry.ts";
import { visitsOf } from "../events/visit-fold.ts";
import type { VisitRecord } from "../events/visit-record.ts";
import type { NodeStatus } from "./picture.ts";

/** Items of a for_each share one drawing. */
const lightOf = (path: readonly string[], node: string): string =>
  [...path.map((slot) => callerOfSlot(slot)), node].join("/");

export interface Lights {
  statusOf(path: readonly string[], node: string): NodeStatus;
  /** Whether a route was taken; `index` is its place in the step's table, null for a gate's own routes. */
  isTaken(path: readonly string[], from: string, to: string, index: number | null): boolean;
  isRetried(path: readonly string[], node: string, index: number): boolean;
  /** Whether one of the workflow's `error_routes` was taken. */
  isDefaultTaken(path: readonly string[], to: string, index: number): boolean;
}

export function lightsOf(events: Iterable<RunEvent>): Lights {
  const statuses = new Map<string, Light>();
  const taken = new Set<string>();
  for (const visit of visitsOf(events)) {
    const { path, node, history } = visit;
    const place = lightOf(path, node);
    for (const light of lightsOfVisit(visit))
      if (light.seq >= (statuses.get(place)?.seq ?? 0)) statuses.set(place, light);
    for (const { routed } of history?.readings ?? []) {
      if (!routed) continue;
      const { route, to, action } = routed;
      const owner = route.table === "workflow" ? `${lightOf(path, "")} default` : place;
      taken.add(`${owner} ${route.index} ${to ?? (action === "retry" ? "again" : "")}`);
    }
    for (const { route } of history?.routes ?? [])
      taken.add(`${place} ${route.route?.index ?? "by answer"} ${route.to_agent}`);
  }
  return {
    statusOf: (path, node) => statuses.get(lightOf(path, node))?.status ?? "unlit",
    // The target counts too: the file may have been edited since the run.
    isTaken: (path, from, to, index) => taken.has(`${lightOf(path, from)} ${index ?? "by answer"} ${to}`),
    isRetried: (path, node, index) => taken.has(`${lightOf(path, node)} ${index} again`),
    isDefaultTaken: (path, to, index) => taken.has(`${lightOf(path, "")} default ${index} ${to}`),
  };
}

/** A status, and since when: the latest of a node's visits is shown. */
interface Light {
  readonly seq: number;
  readonly status: NodeStatus;
}

function* lightsOfVisit({ attempts, history }: VisitRecord): Iterable<Light> {
  // A group that went on without some of its items is done, and not all well.
  const done = (seq: number): NodeStatus =>
    (history?.groupEnds.findLast((end) => end.seq < seq)?.lost ?? 0) > 0 ? "recovered" : "completed";
  for (const { began, ended, end } of attempts) {
    if (began) yield { seq: began.seq, status: "running" };
    if (ended && end !== "cancelled") yield { seq: ended.seq, status: end === "ok" ? done(ended.seq) : "failed" };
  }
  for (const { seq } of history?.reuses ?? []) yield { seq, status: done(seq) };
  for (const { seq } of history?.recoveries ?? []) yield { seq, status: "recovered" };
  for (const { seq, routed } of history?.readings ?? [])
    if (routed?.to !== undefined) yield { seq, status: "recovered" };
}
