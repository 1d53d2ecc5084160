// A picture in Graphviz's language.
import { shortened } from "./label.ts";
import { type Lights, type LightsReader, readLights } from "./lights.ts";
import { type Paint, PLAIN_PAINT, STATE_PAINT } from "./look/tokens.ts";
import {
  edgesBelow,
  itemsBelow,
  type Picture,
  type PictureBox,
  type PictureEdge,
  type PictureItem,
  type PictureNode,
} from "./picture.ts";

const STATES = STATE_PAINT.light;
const PLAIN = PLAIN_PAINT.light;

export function dot(picture: Picture, lights: Lights | null): string {
  const reader = readLights(lights, edgesBelow(picture));
  const boxes = new Map(
    itemsBelow(picture.items).flatMap((item) => (item.kind === "box" ? [[item.id, item] as const] : [])),
  );
  const known = new Set(itemsBelow(picture.items).map(({ id }) => id));
  const lines = [
    `digraph ${quoted(picture.title)} {`,
    '  compound=true; rankdir=TB; nodesep=0.4; ranksep=0.5; fontname="Helvetica";',
    '  node [fontname="Helvetica", fontsize=12, shape=box, style="rounded,filled", fillcolor=white, color="#64748b"];',
    '  edge [fontname="Helvetica", fontsize=10, color="#475569", fontcolor="#334155"];',
    ...picture.items.flatMap((item) => itemLines(item, 1, reader)),
    ...edgesBelow(picture)
      .filter(({ from, to }) => known.has(from) && known.has(to))
      .map((edge) => edgeLine(edge, boxes, reader)),
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

function itemLines(item: PictureItem, depth: number, reader: LightsReader): readonly string[] {
  const indent = "  ".repeat(depth);
  if (item.kind === "node") return [`${indent}${quoted(item.id)} ${attributes(nodeLook(item, reader))};`];
  return [
    `${indent}subgraph ${quoted(`cluster_${item.id}`)} {`,
    `${indent}  label=${quoted(`${item.name} · ${item.detail}`)}; style="rounded"; color="#94a3b8"; fontsize=11;`,
    ...item.items.flatMap((inner) => itemLines(inner, depth + 1, reader)),
    `${indent}}`,
  ];
}

function nodeLook(node: PictureNode, reader: LightsReader): Readonly<Record<string, string | undefined>> {
  const { id, shape, name, detail: written, tooltip: says } = node;
  const reason = reader.lightOf(id)?.reason;
  const [detail, tooltip] = reason ? [shortened(reason), reason] : [written, says];
  const label = detail ? `${name}\n${detail}` : name;
  const state = reader.stateOf(id, shape);
  const paint = state === null ? OWN_PAINT[shape] : STATES[state];
  const colors = { fillcolor: paint?.fill, color: paint?.stroke, fontcolor: paint?.text };
  switch (shape) {
    case "start":
      return { label: "", shape: "circle", width: "0.15", style: "filled", fillcolor: "#475569" };
    case "end":
      return { label: "", shape: "doublecircle", width: "0.12", style: "filled", fillcolor: "#475569" };
    case "gate":
      return { label, shape: "diamond", style: "filled", ...colors };
    case "terminate_success":
    case "terminate_failed":
    case "halt":
      return { label, shape: "octagon", style: "filled", ...colors, tooltip: tooltip ?? undefined };
    case "parent":
    case "any":
      return { label, shape: "plaintext", style: "", fontcolor: STATES.pending.text };
    case "folded":
      return { label, shape: "box3d", style: "filled", ...colors };
    case "step":
      return { label, ...colors };
    default:
      return shape satisfies never;
  }
}

/** Of shapes that have a colour before any run. */
const OWN_PAINT: Partial<Readonly<Record<PictureNode["shape"], Paint>>> = {
  gate: PLAIN.gate,
  terminate_success: STATES.completed,
  terminate_failed: STATES.failed,
  halt: STATES.failed,
};

/** An edge of a box needs a node inside it: Graphviz cuts the edge at the box's border. */
function anchorOf(id: string, boxes: ReadonlyMap<string, PictureBox>, side: "first" | "last"): string {
  const inside = boxes.get(id)?.items.filter((item) => item.kind === "box" || !ASIDE.has(item.shape)) ?? [];
  const anchor = inside.at(side === "first" ? 0 : -1);
  return anchor ? anchorOf(anchor.id, boxes, side) : id;
}

/** No part of the way through a box. */
const ASIDE: ReadonlySet<PictureNode["shape"]> = new Set(["any", "halt", "parent"]);

function edgeLine(edge: PictureEdge, boxes: ReadonlyMap<string, PictureBox>, reader: LightsReader): string {
  const { from, to, on, label, route } = edge;
  const isTaken = reader.isTaken(route);
  const isError = on === "error";
  const look = {
    label: label.length > 0 ? label.join("\n") : undefined,
    color: isError ? PLAIN.error.stroke : isTaken ? PLAIN.taken.stroke : undefined,
    fontcolor: isError ? PLAIN.error.text : undefined,
    style: isError ? "dashed" : undefined,
    penwidth: isTaken ? "2.5" : isTaken === false ? "0.8" : undefined,
    ltail: boxes.has(from) && from !== to ? `cluster_${from}` : undefined,
    lhead: boxes.has(to) && from !== to ? `cluster_${to}` : undefined,
  };
  return `  ${quoted(anchorOf(from, boxes, "last"))} -> ${quoted(anchorOf(to, boxes, from === to ? "last" : "first"))} ${attributes(look)};`;
}
