// How things are said, the same in the live tree and in every report: signs, colours, counts, lists, times and names.
import type { StepStatus } from "../../../base/events/node-types.ts";
import type { Reader } from "../../../base/results/reader.ts";
import type { Colors } from "../output.ts";

/** `1 error`, `2 errors`. */
export const amount = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

/** At most so many names; the last place says how many more there are. */
export const cutList = (names: readonly string[], most: number): readonly string[] =>
  names.length <= most ? names : [...names.slice(0, most - 1), `${names.length - most + 1} more`];

/** Of a run that another process drives: to leave it does not stop it. */
export const goesOn = (run: string, reader: Reader): string =>
  `The run goes on. To stop it: ${reader.ask({ to: "cancel", run })}`;

interface Place {
  readonly node_id: string;
  readonly group?: string | undefined;
  readonly item_key?: string | undefined;
}

/** `each[eu]`: an item of a for_each has one name everywhere, its group's with its key. Any other step has its own name. */
export const itemName = ({ node_id, group, item_key }: Place): string =>
  item_key === undefined ? node_id : `${group ?? node_id}[${item_key}]`;

/** `340ms`, `3.2s`, `2m 05s`, `1h 02m`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
}

/** Of what was cut off only the time until the last event is known. */
export const tookAtLeast = (milliseconds: number, isCutOff = false): string =>
  `${isCutOff ? "at least " : ""}${duration(milliseconds)}`;

const two = (value: number): string => String(value).padStart(2, "0");

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** `just now`, `3 min ago`, `5 d ago`; a month and more as the date. */
export function ago(moment: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(moment)) / 1000);
  if (Number.isNaN(seconds)) return moment;
  if (seconds < 2) return "just now";
  if (seconds > 30 * 86_400) return moment.slice(0, 10);
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit} ago`;
}

/** `$0.0512`, `$1.20`: small sums keep the digits that matter. */
export const money = (usd: number): string =>
  `$${usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toPrecision(2).replace(/e.*/, "")}`;

/** `950`, `1.2k`, `3.4M`. */
export function compact(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

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

export const RUN_GLYPHS = {
  valid: GLYPHS.done,
  completed: GLYPHS.done,
  degraded: GLYPHS.recovered,
  terminated: GLYPHS.ended,
  failed: GLYPHS.failed,
  invalid: GLYPHS.failed,
  crashed: GLYPHS.failed,
  paused: GLYPHS.asks,
  cancelled: GLYPHS.cancelled,
  running: GLYPHS.start,
  queued: GLYPHS.start,
} as const satisfies Record<string, Glyph>;

/** The sign in its colour. */
export const signOf = ({ tone, sign }: Glyph, colors: Colors): string => paint(tone, sign, colors);

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
