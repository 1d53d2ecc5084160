// Where everything in a picture stands: plain data, the same for every run of a file, so it may come from a worker and
// be kept by the hash of the definition and the set of unfolded children.
import { largest, type Point, type Size } from "../layout/index.ts";
import { DETAIL_SIZE, LABEL_LINE, LABEL_SIZE, NAME_SIZE, textWidth } from "../look/text.ts";
import type { NodeShape, PictureBox, PictureEdge, PictureNode } from "../picture.ts";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node or a box, with its upper left corner in the whole picture. */
export interface PlacedNode extends Rect {
  readonly id: string;
  readonly kind: NodeShape | PictureBox["of"];
  readonly name: string;
  readonly detail: string;
  readonly tooltip: string | null;
  /** The box that it is in. */
  readonly parent: string | null;
  /** How many boxes it is in. */
  readonly depth: number;
}

export interface PlacedEdge {
  /** Unique in the picture. */
  readonly id: string;
  /** By which lights know it. */
  readonly route: string;
  /** The steps that the route is between. */
  readonly from: string;
  readonly to: string;
  readonly kind: "success" | "when" | "error";
  readonly isLoop: boolean;
  /** How many boxes it is in. */
  readonly depth: number;
  /** From its beginning to its end. */
  readonly points: readonly Point[];
  /** A long edge is drawn as this short piece with its label, and whole only when it was taken or is pointed at. */
  readonly stub: readonly Point[] | null;
  readonly label: PlacedLabel | null;
}

/** `x` and `y` are its middle. */
export interface PlacedLabel extends Rect {
  readonly lines: readonly string[];
  readonly anchor: "middle" | "start";
}

/** Boxes stand before what is in them. */
export interface PictureLayout {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/**
 * When something unfolds, everything moves but what was clicked. How far the new layout has to be moved so that a node
 * stands where it stood: its upper left corner, since a folded node has become a box. A node that is gone is
 * represented by the nearest box around it that is there in both.
 */
export function keepInPlace(before: PictureLayout, after: PictureLayout, nodeId: string): { dx: number; dy: number } {
  const corner = ({ nodes }: PictureLayout, id: string): Point | undefined => nodes.find((node) => node.id === id);
  for (let id = nodeId; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf("/")))) {
    const [old, now] = [corner(before, id), corner(after, id)];
    if (old && now) return { dx: old.x - now.x, dy: old.y - now.y };
  }
  return { dx: 0, dy: 0 };
}

export const BOX_TITLE = 30;
export const BOX_SIDE = 18;
/** Below the title of a for_each: its items as cells, and their counts. */
export const STRIP = 22;
/** So that a dozen cells fit beside their counts. */
const CARD_WIDTH = 300;
export const LOOP_REACH = 26;
/** Left and right of a name: room for the icon of a state. */
const BESIDE_NAME = 26;
const CUT_CORNERS = 9;

export const headOf = ({ of }: Pick<PictureBox, "of">): number => BOX_TITLE + (of === "for_each" ? STRIP : 0);

export const labelSize = (label: readonly string[]): Size => ({
  width: largest(label.map((line) => textWidth(line, LABEL_SIZE))) + 8,
  height: label.length * LABEL_LINE + 4,
});

export const loopHeight = (loop: PictureEdge): number => Math.max(20, loop.label.length * LABEL_LINE + 4);

export const loopsHeight = (loops: readonly PictureEdge[]): number =>
  loops.reduce((sum, loop) => sum + loopHeight(loop), 0);

/** What loops need to the right of their node. */
export const besideOf = (loops: readonly PictureEdge[]): number =>
  loops.length === 0
    ? 0
    : LOOP_REACH + 4 + largest(loops.map(({ label }) => (label.length > 0 ? labelSize(label).width : 0)));

/** Of a reason, which is known only once the step has run: so much of it can be read. */
const REASON_LETTERS = 24;

export function nodeSize({ shape, name, detail, tooltip }: PictureNode): Size {
  if (shape === "start") return { width: 12, height: 12 };
  if (shape === "end") return { width: 18, height: 18 };
  const isExplained = (shape === "terminate_failed" || shape === "terminate_success") && tooltip !== null;
  const least = isExplained ? textWidth("a".repeat(REASON_LETTERS), DETAIL_SIZE) : 0;
  const text = Math.max(least, textWidth(name, NAME_SIZE, true), textWidth(detail, DETAIL_SIZE));
  if (shape === "halt" || shape === "parent" || shape === "any") return { width: text + 26, height: 26 };
  const side = 2 * (BESIDE_NAME + (shape === "step" || shape === "folded" ? 0 : CUT_CORNERS));
  return { width: Math.max(84, text + side), height: 44 };
}

export function boxSize(box: PictureBox, inner: Size): Size {
  const title = textWidth(box.name, NAME_SIZE, true) + textWidth(box.detail, DETAIL_SIZE) + 3 * BOX_SIDE + BESIDE_NAME;
  const least = box.of === "for_each" ? CARD_WIDTH : 0;
  return { width: Math.max(inner.width + 2 * BOX_SIDE, title, least), height: inner.height + headOf(box) + BOX_SIDE };
}
