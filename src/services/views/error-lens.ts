// An error seen close: what was raised, which routes were read for it with which verdict, and what became of it.
import type { Envelope } from "../../errors/index.ts";
import { slotOf, slotOfFrame } from "../../events/key.ts";
import type { Driven } from "../../events/visits/cut-off.ts";
import { letDownBy } from "../../events/visits/handled.ts";
import type { RetryRecord, RouteReading, VisitRecord } from "../../events/visits/visit-record.ts";
import type { PinnedDefinition } from "../explain/definition.ts";
import { routesRead } from "../explain/route-reading.ts";
import type { RouteRead } from "../explain/story.ts";
import { retryOf } from "../explain/visit-in-drive.ts";

export interface ErrorSeen {
  readonly seq: number;
  readonly at: string;
  readonly error: Envelope;
  readonly trail: readonly TrailStep[];
  readonly routes: readonly (RouteRead & { readonly index: number })[];
  readonly unreadable?: string;
  readonly action: NonNullable<RouteReading["routed"]>["action"] | "unhandled" | "open";
  readonly to: string | null;
  readonly by: "step" | "workflow" | "resilience" | null;
  readonly recovered_by: string | null;
  /** A route took it, and the step that it led to got to its end, or may yet. */
  readonly is_recovered: boolean;
  readonly letter: string | null;
  /** The group that went on without it. */
  readonly went_on: string | null;
}

export interface TrailStep {
  readonly workflow: string;
  readonly node: string;
  readonly path: readonly string[];
  /** Which item of its for_each, where that is known. */
  readonly item: string | null;
  readonly line: number | null;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Of an attempt that a later one followed: its drive, at whose end it stood as it is shown. */
  readonly drive?: number;
}

/** The error that a visit raised between two events, if it did. */
export function errorSeen(
  visit: VisitRecord,
  { from, to, drive }: Stretch,
  driven: Driven,
  definition: PinnedDefinition,
  letter: string | null,
): ErrorSeen | null {
  const { history } = visit;
  const within = <Fact extends { readonly seq: number }>(facts: readonly Fact[] = []): Fact | undefined =>
    facts.findLast(({ seq }) => seq >= from && seq < to);
  const raised = within(history?.errors);
  if (!raised) return null;
  const reading = within(history?.readings);
  const routed = reading?.routed;
  const recovery = within(history?.recoveries);
  const isTaken = recovery !== undefined || routed?.to !== undefined;
  return {
    seq: raised.seq,
    at: raised.at,
    error: raised.error,
    trail: trailOf(visit, raised.error, definition),
    routes: reading ? routesOf(visit, reading, within(visit.retries), definition) : [],
    ...(reading?.problem === undefined ? {} : { unreadable: reading.problem }),
    // Where a member of a group has no route to read, its group decides.
    action: routed?.action ?? (reading || visit.group !== undefined ? "unhandled" : "open"),
    to: routed?.to ?? null,
    by: routed?.route.table ?? null,
    recovered_by: recovery?.by ?? null,
    is_recovered: isTaken && letDownBy(visit, driven, drive) === undefined,
    letter,
    went_on: routed === undefined && hasGoneOn(visit, raised.seq) ? (visit.group ?? null) : null,
  };
}

/** A member's group ended well after that, so it did without what was lost. */
function hasGoneOn({ group, history }: VisitRecord, seq: number): boolean {
  const last = group === undefined ? undefined : history?.parent?.attempts.at(-1);
  return last?.end === "ok" && (last.ended?.seq ?? 0) > seq;
}

/** @param retry the one that followed, if it was tried again */
function routesOf(
  visit: VisitRecord,
  reading: RouteReading,
  retry: RetryRecord | undefined,
  definition: PinnedDefinition,
): ErrorSeen["routes"] {
  const retries = retry ? [retryOf(retry)] : [];
  const read = routesRead({ path: visit.path, node: visit.node, reading, retries }, definition);
  return read.map((route, position) => ({ ...route, index: Number(reading.considered[position]?.index ?? position) }));
}

/** From where it was raised up to the visit: frames are innermost first, and name the steps that called. */
function trailOf(visit: VisitRecord, error: Envelope, definition: PinnedDefinition): readonly TrailStep[] {
  const { group, itemKey, node } = visit;
  const own = slotOf(node, group !== undefined && itemKey !== undefined ? { group, key: itemKey } : undefined);
  const callers = [...error.propagated].reverse();
  const slots = callers.map((caller, index) => (index === 0 ? own : slotOfFrame(caller)));
  const paths = callers.map((_, depth) => [...visit.path, ...slots.slice(0, depth)]);
  const deepest = [...visit.path, ...slots];
  const step = (workflow: string, name: string, path: readonly string[], item: string | null): TrailStep => ({
    workflow,
    node: name,
    path,
    item,
    line: definition.step(path, name)?.location.line ?? null,
  });
  const itemOf = (depth: number): string | null => (depth === 0 ? itemKey : callers[depth]?.item_key) ?? null;
  return [
    step(error.raised_at.workflow, error.raised_at.node, deepest, itemThatRaised(visit, error)),
    ...callers.map((caller, index) => step(caller.workflow, caller.node, paths[index] ?? [], itemOf(index))).reverse(),
  ];
}

/** An error names the innermost item that it came from: of the step that raised it, or of one that called its workflow. */
function itemThatRaised({ group, itemKey }: VisitRecord, error: Envelope): string | null {
  const callers = error.propagated.filter((frame) => frame.group !== undefined).length;
  const isCallers =
    callers > 0
      ? (error.items?.length ?? 1) <= callers
      : // In runs of older versions callers do not say which item they were.
        error.propagated.length > 0 && error.group === group && error.item_key === itemKey;
  return isCallers ? null : (error.item_key ?? null);
}
