// A picture as a Mermaid flowchart, to paste into Markdown.
import { shortened } from "./label.ts";
import { type LightState, type Lights, type LightsReader, readLights } from "./lights.ts";
import { PLAIN_PAINT, STATE_PAINT } from "./look/tokens.ts";
import {
  edgesBelow,
  itemsBelow,
  type Picture,
  type PictureEdge,
  type PictureItem,
  type PictureNode,
} from "./picture.ts";

export function mermaid(picture: Picture, lights: Lights | null): string {
  const reader = readLights(lights, edgesBelow(picture));
  const ids = new Map(itemsBelow(picture.items).map(({ id }, index) => [id, `n${index}`]));
  const idOf = (id: string): string => ids.get(id) ?? "missing";
  const edges = edgesBelow(picture).filter(({ from, to }) => ids.has(from) && ids.has(to));
  const styled = (test: (edge: PictureEdge) => boolean): string =>
    edges.flatMap((edge, index) => (test(edge) ? [index] : [])).join(",");
  const lines = [
    `%% ${onOneLine(picture.title)}`,
    "flowchart TB",
    ...picture.items.flatMap((item) => itemLines(item, idOf, 1, reader)),
    ...edges.map((edge) => edgeLine(edge, idOf)),
    ...CLASS_LINES,
    ...classLines(itemsBelow(picture.items), idOf, reader),
  ];
  const { error, taken } = PLAIN_PAINT.light;
  const red = styled(({ on }) => on === "error");
  if (red) lines.push(`linkStyle ${red} stroke:${error.stroke},color:${error.text}`);
  const lit = styled(({ route }) => reader.isTaken(route) === true);
  if (lit) lines.push(`linkStyle ${lit} stroke-width:3px`);
  const green = styled(({ route, on }) => reader.isTaken(route) === true && on === "success");
  if (green) lines.push(`linkStyle ${green} stroke:${taken.stroke}`);
  return `${lines.join("\n")}\n`;
}

/** A comment ends with its line; and `%%{` begins a directive wherever it stands. */
const onOneLine = (text: string): string => text.replace(/\s*[\n\r\u2028\u2029]\s*/g, " ").replaceAll("%%{", "%% {");

/** Mermaid reads `#quot;` and friends inside quotes. */
const quoted = (text: string): string =>
  `"${onOneLine(text).replace(/#/g, "#35;").replace(/"/g, "#quot;").replace(/</g, "#lt;").replace(/>/g, "#gt;")}"`;

function itemLines(
  item: PictureItem,
  idOf: (id: string) => string,
  depth: number,
  reader: LightsReader,
): readonly string[] {
  const indent = "  ".repeat(depth);
  if (item.kind === "node") {
    const { reason } = reader.lightOf(item.id) ?? {};
    return [`${indent}${idOf(item.id)}${shapeText(reason ? { ...item, detail: shortened(reason) } : item)}`];
  }
  const title = quoted(`${item.name} (${item.detail})`);
  return [
    `${indent}subgraph ${idOf(item.id)}[${title}]`,
    ...item.items.flatMap((inner) => itemLines(inner, idOf, depth + 1, reader)),
    `${indent}end`,
  ];
}

function shapeText({ shape, name, detail }: PictureNode): string {
  const text = quoted(detail ? `${name} · ${detail}` : name);
  switch (shape) {
    case "start":
      return '((" "))';
    case "end":
      return `(((${quoted("end")})))`;
    case "gate":
      return `{${text}}`;
    // The nearest that a flowchart has to an octagon.
    case "terminate_success":
    case "terminate_failed":
    case "halt":
      return `{{${text}}}`;
    case "folded":
      return `[[${text}]]`;
    case "parent":
    case "any":
      return `([${text}])`;
    case "step":
      return `[${text}]`;
    default:
      return shape satisfies never;
  }
}

function edgeLine({ from, to, on, label }: PictureEdge, idOf: (id: string) => string): string {
  const arrow = on === "error" ? "-.->" : "-->";
  const text = label.length > 0 ? `|${quoted(label.join(" · "))}|` : "";
  return `  ${idOf(from)} ${arrow}${text} ${idOf(to)}`;
}

const CLASSES: Readonly<Record<string, string>> = {
  terminate_success: "good",
  terminate_failed: "bad",
  halt: "bad",
  start: "small",
  end: "small",
  parent: "small",
  any: "small",
};
const STATE_CLASSES: Readonly<Record<LightState, string>> = {
  pending: "faded",
  running: "busy",
  waiting: "waits",
  retrying: "again",
  completed: "good",
  recovered: "warm",
  failed: "bad",
  cancelled: "small",
  reused: "reused",
};

const CLASS_LINES: readonly string[] = Object.entries(STATE_CLASSES).map(([state, name]) => {
  const { fill, stroke, text } = STATE_PAINT.light[state as LightState];
  return `classDef ${name} fill:${fill},stroke:${stroke},color:${text}`;
});

function classLines(
  items: readonly PictureItem[],
  idOf: (id: string) => string,
  reader: LightsReader,
): readonly string[] {
  return items.flatMap((item) => {
    const shape = item.kind === "node" ? item.shape : item.of;
    const state = reader.stateOf(item.id, shape);
    const name = state === null ? CLASSES[shape] : STATE_CLASSES[state];
    return name ? [`class ${idOf(item.id)} ${name}`] : [];
  });
}
