// From a run's events to its lights: which nodes ran and what became of them, which routes were taken.
import { onlyWaits } from "../base/events/node-types.ts";
import type { RunEvent } from "../base/events/registry.ts";
import { ledOn } from "../base/events/taken-routes.ts";
import { type Driven, letDownBy } from "../base/events/visits/verdicts.ts";
import { VisitFold } from "../base/events/visits/visit-fold.ts";
import { inDrive, isPlain, plainRetries, type VisitRecord } from "../base/events/visits/visit-record.ts";
import {
  CUT_OFF_WORD,
  completedWithout,
  entryId,
  failedThough,
  type LightState,
  type Lights,
  type NodeLight,
} from "./lights.ts";
import { isOnCourse, nodeId, takenRouteIds } from "./run-ids.ts";

/** @param isCutOff no process drives the run any more: no event says so */
export function lightsOf(
  events: Iterable<RunEvent>,
  { isCutOff = false }: { readonly isCutOff?: boolean } = {},
): Lights {
  const fold = new VisitFold({ history: true });
  const reasons = new Map<string, string>();
  for (const event of events) {
    fold.add(event);
    if (event.type !== "agent_completed" && event.type !== "agent_failed") continue;
    const { agent_name, termination_reason } = event.data;
    if (termination_reason !== undefined) reasons.set(nodeId(event.path, agent_name), termination_reason);
  }
  const driven: Driven = { drives: fold.drives, isCutOff };
  const lights = new Map<string, { readonly seq: number; readonly light: NodeLight }>();
  const taken = new Set<string>();
  const visits = visitsOnCourse([...fold.visits.values()]);
  for (const visit of visits) {
    const place = nodeId(visit.path, visit.node);
    const now = stateNow(visit, driven);
    if (now && now.seq >= (lights.get(place)?.seq ?? 0)) {
      lights.set(place, { seq: now.seq, light: lightOfVisit(visit, now, isCutOff) });
      taken.add(entryId(place));
    }
  }
  const withReason = (id: string, light: NodeLight): NodeLight => {
    const reason = reasons.get(id);
    return reason === undefined ? light : { ...light, reason };
  };
  const nodes = Object.fromEntries([...lights].map(([id, { light }]) => [id, withReason(id, light)]));
  for (const visit of visits)
    for (const route of routesTaken(visit))
      if (isOnCourse(route, nodes)) for (const id of takenRouteIds(route)) taken.add(id);
  return { nodes, taken: [...taken] };
}

/** Without what a later drive has not come to again: at the top, in a group, in a sub-workflow, and all that is inside it. */
function visitsOnCourse(visits: readonly VisitRecord[]): readonly VisitRecord[] {
  const latest = new Map<VisitRecord | undefined, number>();
  for (const visit of visits) {
    const parent = visit.history?.parent;
    latest.set(parent, Math.max(latest.get(parent) ?? 0, driveOf(visit)));
  }
  const isOn = (visit: VisitRecord): boolean => {
    const parent = visit.history?.parent;
    return driveOf(visit) === latest.get(parent) && (!parent || isOn(parent));
  };
  return visits.filter(isOn);
}

/** The drive that came to it last. */
const driveOf = ({ attempts, history }: VisitRecord): number =>
  Math.max(attempts.at(-1)?.drive ?? 0, history?.reuses.at(-1)?.drive ?? 0);

function* routesTaken({ path, node: from, history }: VisitRecord): Iterable<Parameters<typeof takenRouteIds>[0]> {
  for (const { routed } of history?.readings ?? []) {
    if (!routed) continue;
    const { route, to = null, action } = routed;
    yield { path, from, to, table: route.table, index: route.index, action };
  }
  for (const { route } of history?.routes ?? []) if (!route.error) yield ledOn(path, route);
}

/** A state, and since when: the latest of a node's visits is shown. */
interface Since {
  readonly seq: number;
  readonly state: LightState;
  readonly word?: string;
}

function stateNow(visit: VisitRecord, driven: Driven): Since | undefined {
  const latest = stateOf(visit);
  const handedTo = latest?.state === "recovered" ? letDownBy(visit, driven) : undefined;
  if (latest && handedTo !== undefined) return { seq: latest.seq, state: "failed", word: failedThough(handedTo) };
  return latest && driven.isCutOff ? leftBehind(latest) : latest;
}

/** What it is once the process that drove the run is gone. */
function leftBehind({ seq, state, ...more }: Since): Since {
  if (state === "retrying") return { seq, state: "failed" };
  return state === "running" || state === "waiting"
    ? { seq, state: "failed", word: CUT_OFF_WORD }
    : { seq, state, ...more };
}

function stateOf(visit: VisitRecord): Since | undefined {
  let latest: Since | undefined;
  for (const since of statesOf(visit)) if (!latest || since.seq >= latest.seq) latest = since;
  return latest;
}

function* statesOf({ attempts, retries, history }: VisitRecord): Iterable<Since> {
  // A group that went on without some of its items is done, and not all well.
  const lostBefore = (seq: number): number => history?.groupEnds.findLast((end) => end.seq < seq)?.lost ?? 0;
  const done = (seq: number, state: LightState): Since => {
    const lost = lostBefore(seq);
    return lost > 0 ? { seq, state: "recovered", word: completedWithout(lost) } : { seq, state };
  };
  for (const { began, ended, end, type } of attempts) {
    if (began) yield { seq: began.seq, state: onlyWaits(type) ? "waiting" : "running" };
    if (ended) yield end === "ok" ? done(ended.seq, "completed") : { seq: ended.seq, state: end ?? "failed" };
  }
  for (const { seq } of history?.asked ?? []) yield { seq, state: "waiting" };
  for (const { seq } of history?.answers ?? []) yield { seq, state: "running" };
  for (const { seq, answer } of history?.requests ?? []) {
    yield { seq, state: "waiting" };
    if (answer) yield { seq: answer.seq, state: "running" };
  }
  for (const { seq } of history?.reuses ?? []) yield done(seq, "reused");
  for (const { seq } of history?.recoveries ?? []) yield { seq, state: "recovered" };
  for (const { seq, routed } of history?.readings ?? [])
    if (routed?.to !== undefined) yield { seq, state: "recovered" };
  for (const retry of retries) if (isPlain(retry)) yield { seq: retry.seq, state: "retrying" };
}

function lightOfVisit(
  { attempts, retries, history }: VisitRecord,
  { state, word }: Since,
  isCutOff: boolean,
): NodeLight {
  const members = history?.members.at(-1);
  return {
    state,
    word: word ?? null,
    retries: plainRetries(inDrive(retries, attempts.at(-1)?.drive ?? 0)),
    retryAt: state === "retrying" ? (retries.at(-1)?.scheduled.until ?? null) : null,
    items: members
      ? {
          count: members.count,
          states: [...members.states].map(([key, one]) => ({
            key,
            state: isCutOff && one === "running" ? "failed" : one,
          })),
        }
      : null,
  };
}
