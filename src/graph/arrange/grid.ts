// Members of a group have no order between them: they stand in rows of about equal length.
import { type Laid, largest, type Point, type Size } from "../layout/index.ts";

const GAP = 18;

export interface GridItem extends Size {
  readonly id: string;
  /** Room that is kept free to its right, for loops. */
  readonly beside: number;
}

export function grid(items: readonly GridItem[]): Laid {
  const rows = Math.ceil(items.length / Math.max(4, Math.ceil(Math.sqrt(items.length * 1.5))));
  const columns = Math.ceil(items.length / rows);
  const nodes = new Map<string, Point>();
  let [width, y] = [0, 0];
  for (let start = 0; start < items.length; start += columns) {
    const row = items.slice(start, start + columns);
    const height = largest(row.map((one) => one.height));
    let x = 0;
    for (const one of row) {
      nodes.set(one.id, { x, y: y + (height - one.height) / 2 });
      x += one.width + one.beside + GAP;
    }
    width = Math.max(width, x - GAP);
    y += height + GAP;
  }
  return { width, height: y - GAP, nodes, edges: [] };
}
