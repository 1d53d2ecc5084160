// Sizes of nodes, labels and loops, and where everything in a picture stands: boxes are laid out from the inside.
import { type Laid, type LayoutEdge, layOut, type Point, type Size } from "../layout/index.ts";
import type { PictureBox, PictureEdge, PictureItem, PictureNode } from "../picture.ts";
import { DETAIL_SIZE, LABEL_LINE, LABEL_SIZE, NAME_SIZE } from "./look.ts";
import { textWidth } from "./text.ts";

/** A node or box with its place inside what holds it. */
export interface PlacedItem extends Size {
  readonly item: PictureItem;
  readonly at: Point;
  readonly loops: readonly PictureEdge[];
  readonly inner: Arranged | null;
}

export interface Arranged extends Size {
  readonly items: readonly PlacedItem[];
  readonly edges: readonly {
    readonly edge: PictureEdge;
    readonly points: readonly Point[];
    readonly label: Point | null;
  }[];
}

export const BOX_TITLE = 30;
export const BOX_SIDE = 18;
const GRID_GAP = 18;
export const LOOP_REACH = 26;

export function arrange(items: readonly PictureItem[], edges: readonly PictureEdge[]): Arranged {
  const owner = ownersOf(items);
  const own: { readonly edge: PictureEdge; readonly from: string; readonly to: string }[] = [];
  const deeper = new Map<string, PictureEdge[]>();
  for (const edge of edges) {
    const [from, to] = [owner.get(edge.from), owner.get(edge.to)];
    if (from === undefined || to === undefined) continue;
    // A member that is tried again: the loop belongs inside its group.
    if (from === to && edge.from !== from) deeper.set(from, [...(deeper.get(from) ?? []), edge]);
    else own.push({ edge: named(edge, from), from, to });
  }
  const placed = items.map((item): Omit<PlacedItem, "at"> => {
    const loops = own.filter(({ from, to }) => from === to && from === item.id).map(({ edge }) => edge);
    const inner = item.kind === "box" ? arrange(item.items, [...item.edges, ...(deeper.get(item.id) ?? [])]) : null;
    const size = item.kind === "box" ? boxSize(item, inner ?? { width: 0, height: 0 }) : nodeSize(item);
    return { item, loops, inner, width: size.width, height: Math.max(size.height, loopsHeight(loops) + 8) };
  });
  const straight = own.filter(({ from, to }) => from !== to);
  const laid =
    straight.length === 0 && placed.length > 1
      ? grid(placed)
      : layOut(
          placed.map(({ item, width, height, loops }) => ({ id: item.id, width, height, beside: besideOf(loops) })),
          straight.map(layoutEdge),
        );
  return {
    width: laid.width,
    height: laid.height,
    items: placed.map((one) => ({ ...one, at: laid.nodes.get(one.item.id) ?? { x: 0, y: 0 } })),
    edges: straight.flatMap(({ edge }, index) => {
      const found = laid.edges[index];
      return found ? [{ edge, ...found }] : [];
    }),
  };
}

/** Which of the items holds an id: itself, or the box it is in. */
function ownersOf(items: readonly PictureItem[]): ReadonlyMap<string, string> {
  const owner = new Map<string, string>();
  const claim = (item: PictureItem, by: string): void => {
    owner.set(item.id, by);
    if (item.kind === "box") for (const inner of item.items) claim(inner, by);
  };
  for (const item of items) claim(item, item.id);
  return owner;
}

/** An edge that is drawn from a box although it begins inside says where. */
const named = (edge: PictureEdge, from: string): PictureEdge =>
  edge.from === from ? edge : { ...edge, label: [`${edge.from.split("/").at(-1)}:`, ...edge.label] };

const layoutEdge = ({
  edge,
  from,
  to,
}: {
  readonly edge: PictureEdge;
  readonly from: string;
  readonly to: string;
}): LayoutEdge => ({
  from,
  to,
  label: edge.label.length > 0 ? labelSize(edge.label) : null,
  weight: edge.on === "success" ? 3 : 1,
});

export const labelSize = (label: readonly string[]): Size => ({
  width: Math.max(...label.map((line) => textWidth(line, LABEL_SIZE))) + 8,
  height: label.length * LABEL_LINE + 4,
});

export const loopHeight = (loop: PictureEdge): number => Math.max(20, loop.label.length * LABEL_LINE + 4);
const loopsHeight = (loops: readonly PictureEdge[]): number => loops.reduce((sum, loop) => sum + loopHeight(loop), 0);
const besideOf = (loops: readonly PictureEdge[]): number =>
  loops.length === 0
    ? 0
    : LOOP_REACH + 4 + Math.max(...loops.map(({ label }) => (label.length > 0 ? labelSize(label).width : 0)));

function nodeSize({ shape, name, detail }: PictureNode): Size {
  if (shape === "start") return { width: 12, height: 12 };
  if (shape === "end") return { width: 18, height: 18 };
  const text = Math.max(textWidth(name, NAME_SIZE, true), textWidth(detail, DETAIL_SIZE));
  if (shape === "halt" || shape === "parent" || shape === "any") return { width: text + 26, height: 26 };
  const side = shape === "step" ? 30 : 48;
  return { width: Math.max(84, text + side), height: 44 };
}

function boxSize({ name, detail }: PictureBox, inner: Size): Size {
  const title = textWidth(name, NAME_SIZE, true) + textWidth(detail, DETAIL_SIZE) + 3 * BOX_SIDE;
  return { width: Math.max(inner.width + 2 * BOX_SIDE, title), height: inner.height + BOX_TITLE + BOX_SIDE };
}

/** Members of a group have no order between them: rows of about equal length. */
function grid(placed: readonly Omit<PlacedItem, "at">[]): Laid {
  const rows = Math.ceil(placed.length / Math.max(4, Math.ceil(Math.sqrt(placed.length * 1.5))));
  const columns = Math.ceil(placed.length / rows);
  const nodes = new Map<string, Point>();
  let [width, y] = [0, 0];
  for (let start = 0; start < placed.length; start += columns) {
    const row = placed.slice(start, start + columns);
    const height = Math.max(...row.map((one) => one.height));
    let x = 0;
    for (const one of row) {
      nodes.set(one.item.id, { x, y: y + (height - one.height) / 2 });
      x += one.width + besideOf(one.loops) + GRID_GAP;
    }
    width = Math.max(width, x - GRID_GAP);
    y += height + GRID_GAP;
  }
  return { width, height: y - GRID_GAP, nodes, edges: [] };
}
