// One sign and one colour for each thing that can be said of a step, the same in the live tree and in every report.
import type { StepStatus } from "../../events/status.ts";
import type { Colors } from "../output.ts";

const TONES = { good: "green", bad: "red", warn: "yellow", busy: "cyan", dim: "dim" } as const;

export type Tone = keyof typeof TONES | "plain";

export const paint = (tone: Tone, text: string, colors: Colors): string =>
  tone === "plain" ? text : colors[TONES[tone]](text);

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
