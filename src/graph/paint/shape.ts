// What a picture is painted with: SVG elements as plain data. The command line writes them as text, the page renders them;
// all looks are in class names, which `look/css.ts` gives their colours.

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
