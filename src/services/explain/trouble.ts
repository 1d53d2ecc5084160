// From the visits that raised to the troubles of a chapter: errors, where they were raised, the end of it, and why each route
// was taken or not, from what the engine wrote down while it read them.

import type { Envelope } from "../../base/errors/index.ts";
import { callerOfSlot } from "../../base/events/key.ts";
import { isContainer } from "../../base/events/node-types.ts";
import type { ConsideredRoute as EngineConsidered } from "../../engine/visit/routes.ts";
import { flowYaml, type PinnedDefinition } from "../reading/definition.ts";
import type { Raising, RouteRead, Trouble, TroubleEnding } from "./story.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

type Lookup = (path: readonly string[], node: string) => VisitInDrive | undefined;

export function troublesOf(
  visits: readonly VisitInDrive[],
  definition: PinnedDefinition,
  lookup: Lookup,
): readonly Trouble[] {
  const begun = new Set<string>();
  const found = new Map<string, { readonly trouble: Trouble; times: number; readonly alike: string[] }>();
  for (const visit of visits) {
    const carried = isContainer(visit.type) && visit.errors.some((error) => begun.has(errorIdentity(error)));
    const trouble = troubleOf(visit, definition, carried, endingOf(visit, lookup));
    for (const error of visit.errors) begun.add(errorIdentity(error));
    const same = sameness(trouble);
    const known = found.get(same);
    if (!known) found.set(same, { trouble, times: 1, alike: [] });
    else if (visit.itemKey !== undefined) known.alike.push(visit.itemKey);
    else known.times++;
  }
  return [...found.values()].map(({ trouble, times, alike }) => ({
    ...trouble,
    times: times > 1 ? times : undefined,
    alike: alike.length > 0 ? alike : undefined,
  }));
}

/** The same trouble at the same place is one trouble; of items of one group also when their messages name the item. */
const sameness = ({ node_id, path, group, item_key, raised, ending, routes }: Trouble): string =>
  JSON.stringify([
    node_id,
    path.map((slot) => callerOfSlot(slot)),
    group,
    raised.map(({ kind, message }) => (item_key === undefined ? [kind, message] : kind)),
    ending,
    routes.map(({ why, verdict }) => (item_key === undefined ? why : verdict)),
  ]);

/** The same error, wherever it has got to. */
export const errorIdentity = ({ kind, message, raised_at }: Envelope): string =>
  JSON.stringify([kind, message, raised_at.workflow, raised_at.node, raised_at.attempt]);

function troubleOf(
  visit: VisitInDrive,
  definition: PinnedDefinition,
  carried: boolean,
  ending: TroubleEnding,
): Trouble {
  const place = definition.step(visit.path, visit.node);
  return {
    node_id: visit.node,
    path: visit.path,
    type: visit.type || null,
    group: visit.group,
    item_key: visit.itemKey,
    raised: raisings(visit.errors),
    carried,
    location: place?.location ?? null,
    source: place?.source ?? null,
    shell: carried ? null : visit.shell,
    retries: visit.retries,
    routes: routesRead(visit, definition),
    unreadable: visit.reading?.problem,
    ending,
  };
}

function raisings(errors: readonly Envelope[]): readonly Raising[] {
  const raised: (Raising & { attempts: number[] })[] = [];
  for (const { kind, message, details, propagated, attempts, cause } of errors) {
    const last = raised.at(-1);
    if (last && last.kind === kind && last.message === message) last.attempts.push(attempts);
    else
      raised.push({
        kind,
        message,
        attempts: [attempts],
        details,
        propagated,
        cause: cause ? { kind: cause.kind, message: cause.message, node: cause.raised_at.node } : null,
      });
  }
  return raised;
}

function endingOf(visit: VisitInDrive, lookup: Lookup): TroubleEnding {
  const { status, reading, recoveredBy, attempts, group, isRetriedLater } = visit;
  // The attempts of a retry after the run's end are counted from 1 again.
  if (status === "completed" || status === "reused")
    return { type: "succeeded", attempt: attempts, ...(isRetriedLater ? { after_end: true as const } : {}) };
  if (recoveredBy !== undefined) return { type: "recovered", by: recoveredBy };
  const routed = reading?.routed;
  if (routed?.to !== undefined) {
    const reason = lookup(visit.path, routed.to)?.reason;
    return reason === undefined ? { type: "routed", to: routed.to } : { type: "terminated", by: routed.to, reason };
  }
  if (routed?.action === "halt") return { type: "halted" };
  if (group !== undefined) return inGroup(group, lookup(visit.path, group));
  if (routed?.action === "propagate") return { type: "went_up" };
  if (!reading || routed) return { type: "open" };
  return visit.path.length > 0 ? { type: "went_up" } : { type: "unhandled" };
}

/** A group that has not ended has not gone on without its member either. */
function inGroup(group: string, visit: VisitInDrive | undefined): TroubleEnding {
  if (visit && visit.errors.length > 0) return { type: "to_group", group, went_on: false };
  return visit?.status === "completed" ? { type: "to_group", group, went_on: true } : { type: "open" };
}

export type ReadVisit = Pick<VisitInDrive, "path" | "node" | "reading" | "retries">;

export function routesRead(visit: ReadVisit, definition: PinnedDefinition): readonly RouteRead[] {
  return (visit.reading?.considered ?? []).map((considered) =>
    read(considered as unknown as EngineConsidered, visit, definition),
  );
}

function read(considered: EngineConsidered, visit: ReadVisit, definition: PinnedDefinition): RouteRead {
  const { table, verdict, on_error, when, saw } = considered;
  const found = definition.route(visit, considered);
  const taken = verdict === "matched";
  const written = Object.entries({ on_error, when }).filter(([, value]) => value !== undefined);
  return {
    table,
    line: found?.line ?? null,
    text: found?.text ?? flowYaml(Object.fromEntries(written)),
    taken,
    verdict,
    why: taken ? takenHow(visit) : whyNot(considered, visit),
    saw,
  };
}

function whyNot({ verdict, on_error, saw }: EngineConsidered, visit: ReadVisit): string {
  switch (verdict) {
    case "other kind":
      return `it is for ${Array.isArray(on_error) ? on_error.join(", ") : String(on_error)}`;
    case "when is false":
      return `its condition was false${seen(saw)}`;
    case "when raised":
      return "its condition could not be evaluated";
    case "spent":
      return "its retries are used up";
    case "no reset known":
      return "it waits for a reset, and the error does not say when that is";
    case "reset too late":
      return "the reset is later than its max_wait";
    case "leads to itself":
      return `it leads back to ${visit.node} itself`;
    case "left to the group":
      return "the group reads it, if it fails";
    case "for its members":
      return "it retries the members, one by one";
    case "matched":
      return "";
    default:
      return verdict satisfies never;
  }
}

function takenHow({ reading, retries }: ReadVisit): string {
  const { action, to } = reading?.routed ?? {};
  const last = retries.at(-1);
  switch (action) {
    case "to":
      return `taken, on to ${to}`;
    case "retry":
      if (to !== undefined) return `taken, by way of ${to}`;
      return last?.until_reset
        ? "taken, it waits for the reset"
        : `taken, retry ${last?.nth ?? 1} of ${last?.max ?? "?"}`;
    case "halt":
      return "taken, the run halts";
    case "propagate":
      return "taken, up to the parent";
    default:
      return "taken";
  }
}

const SHOWN = 80;

function seen(saw: EngineConsidered["saw"]): string {
  const values = Object.entries(saw ?? {}).map(([name, value]) => {
    const text = JSON.stringify(value) ?? "undefined";
    return `${name} is ${text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text}`;
  });
  return values.length === 0 ? "" : ` (${values.join(", ")})`;
}
