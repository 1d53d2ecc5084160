// What a picture is painted with: SVG elements as plain data, which the command line writes as text and the page
// renders. All looks are in class names, which `look/css.ts` gives their colours.
import type { PictureLayout, PlacedEdge, PlacedNode } from "../arrange/placed.ts";
import { type LightState, type Lights, type NodeLight, readLights } from "../lights.ts";

/** Each kind of shape by its type, with what it has beside its looks. */
interface Shapes {
  /** Its title is shown when it is pointed at. */
  rect: { x: number; y: number; width: number; height: number; rx: number; title?: string };
  circle: { cx: number; cy: number; r: number };
  polygon: { points: string };
  /** `markerEnd` is the id of the arrowhead at its end. */
  path: { d: string; markerEnd?: string; transform?: string };
  text: { x: number; y: number; anchor: "start" | "middle" | "end"; text: string };
  /** What belongs together: a node, an edge with its label. `of` says what a click on it is about. */
  group: {
    id: string;
    of: { readonly node: string } | { readonly edge: string; readonly from: string; readonly to: string };
    /** Shown when it is pointed at. */
    title: string | null;
    children: readonly PaintedShape[];
  };
}

type ShapesByType = { [Type in keyof Shapes]: Readonly<{ type: Type; class: string } & Shapes[Type]> };
export type PathShape = ShapesByType["path"];
export type GroupShape = ShapesByType["group"];
export type PaintedShape = ShapesByType[keyof Shapes];

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
