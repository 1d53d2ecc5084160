// A picture in Graphviz's language.
import {
  edgesBelow,
  itemsBelow,
  type Picture,
  type PictureBox,
  type PictureEdge,
  type PictureItem,
  type PictureNode,
} from "./picture.ts";

export function dot(picture: Picture): string {
  const boxes = new Map(
    itemsBelow(picture.items).flatMap((item) => (item.kind === "box" ? [[item.id, item] as const] : [])),
  );
  const known = new Set(itemsBelow(picture.items).map(({ id }) => id));
  const lines = [
    `digraph ${quoted(picture.title)} {`,
    '  compound=true; rankdir=TB; nodesep=0.4; ranksep=0.5; fontname="Helvetica";',
    '  node [fontname="Helvetica", fontsize=12, shape=box, style="rounded,filled", fillcolor=white, color="#475569"];',
    '  edge [fontname="Helvetica", fontsize=10, color="#475569", fontcolor="#334155"];',
    ...picture.items.flatMap((item) => itemLines(item, 1)),
    ...edgesBelow(picture)
      .filter(({ from, to }) => known.has(from) && known.has(to))
      .map((edge) => edgeLine(edge, boxes)),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

const quoted = (text: string): string =>
  `"${text
    .replace(/\\/g, "\\\\")
    .replace(/"/g, '\\"')
    .replace(/\r?\n|\r/g, "\\n")}"`;

const attributes = (pairs: Readonly<Record<string, string | undefined>>): string =>
  `[${Object.entries(pairs)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${quoted(value)}`]))
    .join(", ")}]`;

function itemLines(item: PictureItem, depth: number): readonly string[] {
  const indent = "  ".repeat(depth);
  if (item.kind === "node") return [`${indent}${quoted(item.id)} ${attributes(nodeLook(item))};`];
  return [
    `${indent}subgraph ${quoted(`cluster_${item.id}`)} {`,
    `${indent}  label=${quoted(`${item.name} · ${item.detail}`)}; style="rounded"; color="#94a3b8"; fontsize=11;`,
    ...item.items.flatMap((inner) => itemLines(inner, depth + 1)),
    `${indent}}`,
  ];
}

const FILLS = {
  completed: "#dcfce7",
  failed: "#fee2e2",
  recovered: "#fef3c7",
  running: "#dbeafe",
  unlit: "#f8fafc",
} as const;

function nodeLook({ shape, name, detail, status }: PictureNode): Readonly<Record<string, string | undefined>> {
  const label = detail ? `${name}\n${detail}` : name;
  const fillcolor = status === null ? undefined : FILLS[status];
  const fontcolor = status === "unlit" ? "#94a3b8" : undefined;
  switch (shape) {
    case "start":
      return { label: "", shape: "circle", width: "0.15", style: "filled", fillcolor: "#475569" };
    case "end":
      return { label: "", shape: "doublecircle", width: "0.12", style: "filled", fillcolor: "#475569" };
    case "gate":
      return { label, shape: "diamond", style: "filled", fillcolor: fillcolor ?? "#e0f2fe", fontcolor };
    case "terminate_success":
      return {
        label,
        shape: "octagon",
        style: "filled",
        fillcolor: fillcolor ?? "#dcfce7",
        color: "#15803d",
        fontcolor,
      };
    case "terminate_failed":
    case "halt":
      return {
        label,
        shape: "octagon",
        style: "filled",
        fillcolor: fillcolor ?? "#fee2e2",
        color: "#b91c1c",
        fontcolor,
      };
    case "parent":
    case "any":
      return { label, shape: "plaintext", style: "", fontcolor: "#64748b" };
    case "step":
      return { label, fillcolor, fontcolor };
    default:
      return shape satisfies never;
  }
}

/** An edge of a box needs a node inside it: Graphviz cuts the edge at the box's border. */
function anchorOf(id: string, boxes: ReadonlyMap<string, PictureBox>, side: "first" | "last"): string {
  const inside = boxes.get(id)?.items.filter((item) => item.kind === "box" || !ASIDE.has(item.shape)) ?? [];
  const anchor = inside.at(side === "first" ? 0 : -1);
  return anchor ? anchorOf(anchor.id, boxes, side) : id;
}

/** No part of the way through a box. */
const ASIDE: ReadonlySet<PictureNode["shape"]> = new Set(["any", "halt", "parent"]);

function edgeLine({ from, to, on, label, isLit }: PictureEdge, boxes: ReadonlyMap<string, PictureBox>): string {
  const red = on === "error";
  const faded = isLit === false;
  const look = {
    label: label.length > 0 ? label.join("\n") : undefined,
    color: faded ? (red ? "#fca5a5" : "#cbd5e1") : red ? "#dc2626" : undefined,
    fontcolor: red ? "#b91c1c" : undefined,
    style: red ? "dashed" : undefined,
    penwidth: isLit ? "2.5" : undefined,
    ltail: boxes.has(from) && from !== to ? `cluster_${from}` : undefined,
    lhead: boxes.has(to) && from !== to ? `cluster_${to}` : undefined,
  };
  return `  ${quoted(anchorOf(from, boxes, "last"))} -> ${quoted(anchorOf(to, boxes, from === to ? "last" : "first"))} ${attributes(look)};`;
}
