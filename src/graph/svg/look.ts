// Colours and sizes of drawings: dark on light, red only for errors, grey for what a run did not reach.
import type { NodeStatus, PictureEdge, PictureNode } from "../picture.ts";

export const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
export const NAME_SIZE = 13;
export const DETAIL_SIZE = 10.5;
export const LABEL_SIZE = 10.5;
export const LABEL_LINE = 13.5;

export interface Look {
  readonly fill: string;
  readonly stroke: string;
  readonly text: string;
  readonly strokeWidth: number;
}

const look = (fill: string, stroke: string, text: string, strokeWidth = 1.3): Look => ({
  fill,
  stroke,
  text,
  strokeWidth,
});

const SHAPES: Readonly<Record<PictureNode["shape"], Look>> = {
  step: look("#ffffff", "#64748b", "#0f172a"),
  gate: look("#eff6ff", "#2563eb", "#1e3a8a"),
  terminate_success: look("#dcfce7", "#15803d", "#14532d"),
  terminate_failed: look("#fee2e2", "#b91c1c", "#7f1d1d"),
  halt: look("#fee2e2", "#b91c1c", "#7f1d1d"),
  start: look("#334155", "#334155", "#334155"),
  end: look("#334155", "#334155", "#334155"),
  parent: look("#f1f5f9", "#94a3b8", "#475569"),
  any: look("#f1f5f9", "#94a3b8", "#475569"),
};

const STATUSES: Readonly<Record<NodeStatus, Look>> = {
  completed: look("#dcfce7", "#15803d", "#14532d", 2),
  failed: look("#fee2e2", "#b91c1c", "#7f1d1d", 2),
  recovered: look("#fef3c7", "#b45309", "#78350f", 2),
  running: look("#dbeafe", "#1d4ed8", "#1e3a8a", 2),
  unlit: look("#f8fafc", "#cbd5e1", "#94a3b8", 1),
};

export const nodeLook = ({ shape, status }: PictureNode): Look => (status === null ? SHAPES[shape] : STATUSES[status]);

/** Boxes are quiet: what is in them counts. */
export const boxLook = (status: NodeStatus | null, depth: number): Look => {
  const fill = depth % 2 === 0 ? "#f8fafc" : "#f1f5f9";
  if (status === null) return look(fill, "#94a3b8", "#334155", 1);
  const { stroke, text } = STATUSES[status];
  return look(fill, stroke, text, status === "unlit" ? 1 : 1.6);
};

export interface EdgeLook {
  readonly stroke: string;
  readonly text: string;
  readonly width: number;
  readonly dash: string | null;
  /** Name of its arrowhead. */
  readonly arrow: string;
}

export function edgeLook({ on, isLit }: PictureEdge): EdgeLook {
  const dash = on === "error" ? "5 4" : null;
  if (isLit === false) {
    const stroke = on === "error" ? "#fecaca" : "#cbd5e1";
    return {
      stroke,
      text: on === "error" ? "#f0a3a3" : "#94a3b8",
      width: 1.1,
      dash,
      arrow: on === "error" ? "faint-red" : "faint",
    };
  }
  const stroke = on === "error" ? "#dc2626" : isLit ? "#15803d" : "#475569";
  const text = on === "error" ? "#b91c1c" : "#475569";
  return { stroke, text, width: isLit ? 2.6 : 1.4, dash, arrow: on === "error" ? "red" : isLit ? "green" : "slate" };
}

export const ARROWS: Readonly<Record<string, string>> = {
  slate: "#475569",
  green: "#15803d",
  red: "#dc2626",
  faint: "#cbd5e1",
  "faint-red": "#fecaca",
};
