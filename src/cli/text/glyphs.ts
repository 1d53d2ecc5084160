// One sign and one colour for each thing that can be said of a step, the same in the live tree and in every report.
import type { StepStatus } from "../../events/status.ts";
import type { Colors } from "../output.ts";

export type Tone = "good" | "bad" | "warn" | "busy" | "dim" | "plain";

export function paint(tone: Tone, text: string, colors: Colors): string {
  switch (tone) {
    case "good":
      return colors.green(text);
    case "bad":
      return colors.red(text);
    case "warn":
      return colors.yellow(text);
    case "busy":
      return colors.cyan(text);
    case "dim":
      return colors.dim(text);
    case "plain":
      return text;
    default:
      return tone satisfies never;
  }
}

export interface Glyph {
  readonly sign: string;
  readonly tone: Tone;
}

export const GLYPHS = {
  done: { sign: "✓", tone: "good" },
  failed: { sign: "✗", tone: "bad" },
  recovered: { sign: "✓", tone: "warn" },
  reused: { sign: "=", tone: "dim" },
  cancelled: { sign: "-", tone: "dim" },
  retry: { sign: "↻", tone: "warn" },
  routed: { sign: "↳", tone: "warn" },
  asks: { sign: "?", tone: "busy" },
  ended: { sign: "■", tone: "plain" },
  note: { sign: "·", tone: "dim" },
  warning: { sign: "▲", tone: "warn" },
  start: { sign: "▸", tone: "dim" },
} as const satisfies Record<string, Glyph>;

export const STATUS_GLYPHS: Readonly<Record<StepStatus, Glyph>> = {
  completed: GLYPHS.done,
  failed: GLYPHS.failed,
  recovered: GLYPHS.recovered,
  cancelled: GLYPHS.cancelled,
  cut_off: { sign: "✗", tone: "warn" },
  paused: GLYPHS.asks,
  running: GLYPHS.start,
  not_executed: { sign: "·", tone: "dim" },
};
