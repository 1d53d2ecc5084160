// What a picture is painted with: SVG elements as plain data, which the command line writes as text and the page
// renders. All looks are in class names, which `look/css.ts` gives their colours.
import type { PictureLayout, PlacedEdge, PlacedNode } from "../arrange/placed.ts";
import { type LightState, type Lights, type NodeLight, readLights } from "../lights.ts";

interface Looks {
  readonly class: string;
}

export interface RectShape extends Looks {
  readonly type: "rect";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rx: number;
  /** Shown when it is pointed at. */
  readonly title?: string;
}

export interface CircleShape extends Looks {
  readonly type: "circle";
  readonly cx: number;
  readonly cy: number;
  readonly r: number;
}

export interface PolygonShape extends Looks {
  readonly type: "polygon";
  readonly points: string;
}

export interface PathShape extends Looks {
  readonly type: "path";
  readonly d: string;
  /** Id of the arrowhead at its end. */
  readonly markerEnd?: string;
  readonly transform?: string;
}

export interface TextShape extends Looks {
  readonly type: "text";
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
  readonly text: string;
}

/** What belongs together: a node, an edge with its label. `of` says what a click on it is about. */
export interface GroupShape extends Looks {
  readonly type: "group";
  readonly id: string;
  readonly of: { readonly node: string } | { readonly edge: string; readonly from: string; readonly to: string };
  /** Shown when it is pointed at. */
  readonly title: string | null;
  readonly children: readonly PaintedShape[];
}

export type PaintedShape = RectShape | CircleShape | PolygonShape | PathShape | TextShape | GroupShape;

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
