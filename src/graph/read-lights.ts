// Lights as every drawing asks for them: the state of a node, and whether an edge was taken.
import type { LightState, Lights, NodeLight } from "./lights.ts";
import type { NodeShape, PictureBox, PictureEdge } from "./picture.ts";

export interface LightsReader {
  /** null: no run was asked for, or an end that was reached. */
  stateOf(id: string, kind: NodeShape | PictureBox["of"]): LightState | null;
  lightOf(id: string): NodeLight | null;
  /** null: no run was asked for. */
  isTaken(route: string): boolean | null;
}

const DARK: LightsReader = { stateOf: () => null, lightOf: () => null, isTaken: () => null };

export function readLights(
  lights: Lights | null,
  edges: readonly Pick<PictureEdge, "route" | "from" | "to">[],
): LightsReader {
  if (!lights) return DARK;
  const taken = new Set(lights.taken);
  const nodes = new Map(Object.entries(lights.nodes));
  const touched = new Set(edges.flatMap(({ route, from, to }) => (taken.has(route) ? [from, to] : [])));
  return {
    stateOf: (id, kind) => stateOf(kind, nodes.get(id), touched.has(id)),
    lightOf: (id) => nodes.get(id) ?? null,
    isTaken: (route) => taken.has(route),
  };
}

/** Ends have no visits of their own; and a step that ends the run as failed did so well, but should not look it. */
function stateOf(
  kind: NodeShape | PictureBox["of"],
  light: NodeLight | undefined,
  isTouched: boolean,
): LightState | null {
  if (kind === "start" || kind === "end" || kind === "parent" || kind === "any") return isTouched ? null : "pending";
  if (kind === "halt") return isTouched ? "failed" : "pending";
  if (!light) return "pending";
  if (light.state === "completed" && kind === "terminate_failed") return "failed";
  return light.state === "failed" && kind === "terminate_success" ? "completed" : light.state;
}
