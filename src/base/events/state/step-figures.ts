// What each step came to over a whole run: time, cost and kinds of errors, summed over all visits, attempts and items.
// Nodes of the state hold the latest visit only, and groups forget the members of the visit before.
import { callerOfSlot } from "../key.ts";
import type { RunEvent } from "../registry.ts";
import type { FrameState, RunState, StepFigures } from "./state.ts";

/** Called after the fold of the event, which says which node a key belongs to. */
export function addStepFigures(state: RunState, event: RunEvent, frame: FrameState): void {
  const { path } = event;
  switch (event.type) {
    case "agent_started":
      figuresAt(state, path, nameOf(frame, event.data));
      return;
    case "agent_completed":
    case "agent_failed": {
      const { agent_name, elapsed, model, cost_usd } = event.data;
      const figures = figuresAt(state, path, nameOf(frame, event.data));
      figures.ms += elapsed * 1000;
      if (model !== undefined && !frame.metered.has(agent_name)) addCost(figures, cost_usd);
      return;
    }
    case "agent_cancelled":
      figuresAt(state, path, nameOf(frame, event.data)).ms += event.data.elapsed * 1000;
      return;
    case "agent_usage":
      addCost(figuresAt(state, path, nameOf(frame, event.data)), event.data.cost_usd);
      return;
    case "parallel_started":
    case "for_each_started":
      figuresAt(state, path, event.data.group_name);
      return;
    case "parallel_completed":
    case "for_each_completed":
      figuresAt(state, path, event.data.group_name).ms += event.data.elapsed * 1000;
      return;
    case "error_raised": {
      const { node: agent_name, key, error } = event.data;
      figuresAt(state, path, nameOf(frame, { agent_name, key })).kinds.add(error.kind);
    }
  }
}

/** A member stands below its group: an item's own step may be named like a step of the file. */
function nameOf(
  frame: FrameState,
  { agent_name, key }: { readonly agent_name: string; readonly key?: string },
): string {
  const group = key === undefined ? undefined : frame.byKey.get(key)?.owner?.name;
  return group === undefined ? agent_name : `${group}/${agent_name}`;
}

/** Steps of a sub-workflow stand below the step that calls it; items of a group are one step. */
function figuresAt({ stepFigures }: RunState, path: readonly string[], name: string): StepFigures {
  const place = path.length === 0 ? name : [...path.map(callerOfSlot), name].join("/");
  let figures = stepFigures.get(place);
  if (!figures) {
    figures = { ms: 0, costUsd: null, kinds: new Set() };
    stepFigures.set(place, figures);
  }
  return figures;
}

function addCost(figures: StepFigures, cost: number | null | undefined): void {
  if (typeof cost === "number") figures.costUsd = (figures.costUsd ?? 0) + cost;
}
