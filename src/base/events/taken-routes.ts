// Which routes a run took, and how often: what a picture lights up. A fold of its own beside the state, since results and
// resumes do without it; the page goes on folding it as it does the state.
import { nodePath } from "./key.ts";
import type { EventData, RunEvent } from "./registry.ts";

type RouteTable = EventData<"error_routed">["route"]["table"];

export interface TakenRoute {
  /** Slots of the sub-workflows. */
  readonly path: readonly string[];
  readonly from: string;
  /** null: a plain retry, a halt, a propagation. */
  readonly to: string | null;
  /** `answer`: a gate's own route. */
  readonly table: RouteTable | "answer";
  /** In the table, or of a gate's option in its list; null where no route of a table was taken. */
  readonly index: number | null;
  readonly action: EventData<"error_routed">["action"] | "route";
  readonly count: number;
  /** Of the last time. */
  readonly seq: number;
}

export type TakenRoutes = Map<string, TakenRoute>;

/** Counts the route that an event speaks of, if it does. */
export function applyTaken(taken: TakenRoutes, event: RunEvent): void {
  const found = routeOf(event);
  if (!found) return;
  const { path, from, to, table, index, action } = found;
  const id = `${nodePath(path, from)} ${table} ${index} ${action} ${to}`;
  taken.set(id, { ...found, count: (taken.get(id)?.count ?? 0) + 1, seq: event.seq });
}

export const takenOf = (list: readonly TakenRoute[]): TakenRoutes =>
  new Map(
    list.map((one) => [`${nodePath(one.path, one.from)} ${one.table} ${one.index} ${one.action} ${one.to}`, one]),
  );

function routeOf({ type, path, data }: RunEvent): Omit<TakenRoute, "count" | "seq"> | undefined {
  if (type === "error_routed") {
    const { node: from, to = null, route, action } = data;
    return { path, from, to, table: route.table, index: route.index, action };
  }
  // Where an error leads is in `error_routed` already.
  if (type !== "route_taken" || data.error) return undefined;
  return ledOn(path, data);
}

/** A route that a success took. */
export function ledOn(
  path: readonly string[],
  { from_agent: from, to_agent: to, route, option }: EventData<"route_taken">,
): Omit<TakenRoute, "count" | "seq"> {
  const table = route ? "step" : "answer";
  return { path, from, to, table, index: route?.index ?? option ?? null, action: "route" };
}
