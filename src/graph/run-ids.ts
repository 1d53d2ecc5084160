// How a picture names what happened in a run: its node for a step, and its edge for a route that was taken.
import { callerOfSlot } from "../events/key.ts";
import type { TakenRoute } from "../events/taken-routes.ts";
import { defaultRouteId, retryId, routeId } from "./lights.ts";

/** Items of a for_each share one drawing. */
export const nodeId = (path: readonly string[], node: string): string => [...path.map(callerOfSlot), node].join("/");

/** A route that was taken. The target counts too: the file may have been edited since. */
export function takenRouteId({ path, from, to, table, index, action }: Omit<TakenRoute, "count" | "seq">): string {
  if (table === "workflow") return defaultRouteId(nodeId(path, ""), to ?? "", index ?? 0);
  if (to === null && action === "retry") return retryId(nodeId(path, from), index ?? 0);
  return routeId(nodeId(path, from), to ?? "", index);
}
