// A picture as a Mermaid flowchart, to paste into Markdown.
import {
  edgesBelow,
  itemsBelow,
  type Picture,
  type PictureEdge,
  type PictureItem,
  type PictureNode,
} from "./picture.ts";

export function mermaid(picture: Picture): string {
  const ids = new Map(itemsBelow(picture.items).map(({ id }, index) => [id, `n${index}`]));
  const idOf = (id: string): string => ids.get(id) ?? "missing";
  const edges = edgesBelow(picture).filter(({ from, to }) => ids.has(from) && ids.has(to));
  const styled = (test: (edge: PictureEdge) => boolean): string =>
    edges.flatMap((edge, index) => (test(edge) ? [index] : [])).join(",");
  const lines = [
    `%% ${onOneLine(picture.title)}`,
    "flowchart TB",
    ...picture.items.flatMap((item) => itemLines(item, idOf, 1)),
    ...edges.map((edge) => edgeLine(edge, idOf)),
    "classDef good fill:#dcfce7,stroke:#15803d,color:#14532d",
    "classDef bad fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d",
    "classDef warm fill:#fef3c7,stroke:#b45309,color:#78350f",
    "classDef small fill:#e2e8f0,stroke:#64748b,color:#334155",
    "classDef faded fill:#f8fafc,stroke:#cbd5e1,color:#94a3b8",
    ...classLines(itemsBelow(picture.items), idOf),
  ];
  const red = styled(({ on }) => on === "error");
  if (red) lines.push(`linkStyle ${red} stroke:#dc2626,color:#b91c1c`);
  const lit = styled(({ isLit }) => isLit === true);
  if (lit) lines.push(`linkStyle ${lit} stroke-width:3px`);
  const faded = styled(({ isLit, on }) => isLit === false && on === "success");
  if (faded) lines.push(`linkStyle ${faded} stroke:#cbd5e1`);
  return `${lines.join("\n")}\n`;
}

/** A comment ends with its line; and `%%{` begins a directive wherever it stands. */
const onOneLine = (text: string): string => text.replace(/\s*[\n\r\u2028\u2029]\s*/g, " ").replaceAll("%%{", "%% {");

/** Mermaid reads `#quot;` and friends inside quotes. */
const quoted = (text: string): string =>
  `"${onOneLine(text).replace(/#/g, "#35;").replace(/"/g, "#quot;").replace(/</g, "#lt;").replace(/>/g, "#gt;")}"`;

function itemLines(item: PictureItem, idOf: (id: string) => string, depth: number): readonly string[] {
  const indent = "  ".repeat(depth);
  if (item.kind === "node") return [`${indent}${idOf(item.id)}${shapeText(item)}`];
  const title = quoted(`${item.name} (${item.detail})`);
  return [
    `${indent}subgraph ${idOf(item.id)}[${title}]`,
    ...item.items.flatMap((inner) => itemLines(inner, idOf, depth + 1)),
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
const STATUS_CLASSES = {
  completed: "good",
  failed: "bad",
  recovered: "warm",
  running: "warm",
  unlit: "faded",
} as const;

function classLines(items: readonly PictureItem[], idOf: (id: string) => string): readonly string[] {
  return items.flatMap((item) => {
    const byShape = item.kind === "node" ? CLASSES[item.shape] : undefined;
    const name = item.status === null ? byShape : STATUS_CLASSES[item.status];
    return name ? [`class ${idOf(item.id)} ${name}`] : [];
  });
}
