// How large nodes, boxes, labels and loops are. Nothing here looks at a run: what is lit never moves.
import { largest, type Size } from "../layout/index.ts";
import { DETAIL_SIZE, LABEL_LINE, LABEL_SIZE, NAME_SIZE, textWidth } from "../look/text.ts";
import type { PictureBox, PictureEdge, PictureNode } from "../picture.ts";

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
