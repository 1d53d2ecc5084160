// The colours of pictures and page: one table, from which the style of an SVG and the page's sheet are written. Text has at
// least 6.9 : 1 on its fill and strokes 3.7 : 1, in both schemes; a test computes them.
import { type LightState, STATES } from "../lights.ts";

export type Scheme = "light" | "dark";

export interface Paint {
  readonly fill: string;
  readonly stroke: string;
  readonly text: string;
}

const paint = (colors: string): Paint => {
  const [fill = "", stroke = "", text = ""] = colors.split(" ").map((color) => `#${color}`);
  return { fill, stroke, text };
};

export const STATE_PAINT: Readonly<Record<Scheme, Readonly<Record<LightState, Paint>>>> = {
  light: {
    pending: paint("f8fafc 64748b 475569"),
    running: paint("dbeafe 1d4ed8 1e3a8a"),
    waiting: paint("ede9fe 6d28d9 4c1d95"),
    retrying: paint("ffedd5 c2410c 7c2d12"),
    completed: paint("dcfce7 15803d 14532d"),
    recovered: paint("fef3c7 b45309 78350f"),
    failed: paint("fee2e2 b91c1c 7f1d1d"),
    cancelled: paint("f1f5f9 475569 334155"),
    reused: paint("ccfbf1 0f766e 134e4a"),
  },
  dark: {
    pending: paint("111827 64748b 94a3b8"),
    running: paint("172554 60a5fa bfdbfe"),
    waiting: paint("2e1065 a78bfa ddd6fe"),
    retrying: paint("431407 fb923c fed7aa"),
    completed: paint("052e16 4ade80 bbf7d0"),
    recovered: paint("451a03 fbbf24 fde68a"),
    failed: paint("450a0a f87171 fecaca"),
    cancelled: paint("1e293b 94a3b8 cbd5e1"),
    reused: paint("042f2e 2dd4bf 99f6e4"),
  },
};

/** What has no state: the paper, steps before any run, boxes, edges. */
export const PLAIN_PAINT: Readonly<Record<Scheme, Readonly<Record<PlainName, Paint>>>> = {
  light: {
    paper: paint("ffffff 475569 0f172a"),
    step: paint("ffffff 64748b 0f172a"),
    gate: paint("eff6ff 2563eb 1e3a8a"),
    box: paint("f8fafc 64748b 334155"),
    "box-inner": paint("f1f5f9 64748b 334155"),
    error: paint("ffffff b91c1c 991b1b"),
    taken: paint("ffffff 15803d 14532d"),
  },
  dark: {
    paper: paint("0b1120 94a3b8 e2e8f0"),
    step: paint("1e293b 94a3b8 e2e8f0"),
    gate: paint("172554 60a5fa bfdbfe"),
    box: paint("111827 64748b cbd5e1"),
    "box-inner": paint("0b1120 64748b cbd5e1"),
    error: paint("0b1120 f87171 fca5a5"),
    taken: paint("0b1120 4ade80 bbf7d0"),
  },
};

export type PlainName = "paper" | "step" | "gate" | "box" | "box-inner" | "error" | "taken";

export const PLAIN_NAMES: readonly PlainName[] = ["paper", "step", "gate", "box", "box-inner", "error", "taken"];

/** Every colour by name (`completed-fill`, `paper-text`), as custom properties want them. */
export const colorTokens = (scheme: Scheme): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      ...STATES.map((state) => [state, STATE_PAINT[scheme][state]] as const),
      ...PLAIN_NAMES.map((name) => [name, PLAIN_PAINT[scheme][name]] as const),
    ].flatMap(([name, { fill, stroke, text }]) => [
      [`${name}-fill`, fill],
      [`${name}-stroke`, stroke],
      [`${name}-text`, text],
    ]),
  );

/** The same as declarations of custom properties: `--completed-fill: #dcfce7;`. */
export const tokenCss = (scheme: Scheme): string =>
  Object.entries(colorTokens(scheme))
    .map(([name, color]) => `--${name}: ${color};`)
    .join("\n");
