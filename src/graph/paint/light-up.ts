// A layout with what a run did: every node with its state, every edge with whether it was taken.
import type { PictureLayout, PlacedEdge, PlacedNode } from "../arrange/placed.ts";
import { type LightState, type Lights, type NodeLight, readLights } from "../lights.ts";

export interface LitNode extends PlacedNode {
  /** null: no run was asked for. */
  readonly state: LightState | null;
  readonly light: NodeLight | null;
}

export interface LitEdge extends PlacedEdge {
  /** null: no run was asked for. */
  readonly isTaken: boolean | null;
}

export interface LitLayout {
  readonly nodes: readonly LitNode[];
  readonly edges: readonly LitEdge[];
}

export function lightUp({ nodes, edges }: PictureLayout, lights: Lights | null): LitLayout {
  const reader = readLights(lights, edges);
  return {
    nodes: nodes.map((node) => ({
      ...node,
      state: reader.stateOf(node.id, node.kind),
      light: reader.lightOf(node.id),
    })),
    edges: edges.map((edge) => ({ ...edge, isTaken: reader.isTaken(edge.route) })),
  };
}
