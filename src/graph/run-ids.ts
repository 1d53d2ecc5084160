// What a picture's ids are for a run: of the node that a visit is of, and of the routes that were taken.

import { callerOfSlot } from "../base/events/key.ts";
import type { TakenRoute } from "../base/events/taken-routes.ts";
import { defaultRouteId, type NodeLight, optionId, retryId, routeId } from "./lights.ts";

/** Items of a for_each share one drawing. */
export const nodeId = (path: readonly string[], node: string): string => [...path.map(callerOfSlot), node].join("/");

/**
 * A route that was taken. The target counts too: the file may have been edited since. A gate's own route has two names: by
 * its target, and by its option for where several options lead to the same target.
 */
export function takenRouteIds(route: Omit<TakenRoute, "count" | "seq">): readonly string[] {
  const { path, from, to, table, index, action } = route;
  if (table === "workflow") return [defaultRouteId(nodeId(path, ""), to ?? "", index ?? 0)];
  if (to === null && action === "retry") return [retryId(nodeId(path, from), index ?? 0)];
  const place = nodeId(path, from);
  if (table !== "answer") return [routeId(place, to ?? "", index)];
  const byTarget = routeId(place, to ?? "", null);
  return index === null ? [byTarget] : [byTarget, optionId(place, to ?? "", index)];
}

/**
 * Whether a route is part of the run's present course: a resume leaves behind what it does not come to again, and the
 * routes that led there with it. What is reused keeps its routes, which are not recorded anew.
 */
export function isOnCourse(
  { path, from, to }: Pick<TakenRoute, "path" | "from" | "to">,
  nodes: Readonly<Record<string, NodeLight>>,
): boolean {
  const began = nodes[nodeId(path, from)];
  if (!began) return false;
  if (to === null) return true;
  if (to.startsWith("$")) return began.state !== "running" && began.state !== "waiting";
  return nodes[nodeId(path, to)] !== undefined;
}
