// How wide text will be in a drawing, estimated, as fonts cannot be measured without a browser; a little too wide is
// safe. The icons of states, which stand beside it, are here too.
import type { LightState } from "../lights.ts";

const NARROW = /[iljtfI.,:;'|!()[\]{} ]/;
const WIDE = /[mwMW@%…↻×]/;
const UPPER = /[A-Z&]/;

/** In pixels, for a common sans-serif font. */
export function textWidth(text: string, size: number, isBold = false): number {
  let em = 0;
  for (const character of text) {
    if ((character.codePointAt(0) ?? 0) > 0x2e80) em += 1;
    else em += NARROW.test(character) ? 0.36 : WIDE.test(character) ? 0.92 : UPPER.test(character) ? 0.72 : 0.6;
  }
  return em * size * (isBold ? 1.08 : 1);
}

/** The beginning of the first line, as much of it as there is room for. */
export function fitting(text: string, size: number, room: number): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  if (textWidth(line, size) <= room) return line;
  const characters = [...line];
  while (characters.length > 0 && textWidth(`${characters.join("")}…`, size) > room) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** Coordinates with one digit: smaller files, and the same on every machine. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Sizes of letters, in pixels. The style sheet and the estimates of how wide a text is both come from here. */
export const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
export const NAME_SIZE = 13;
export const DETAIL_SIZE = 10.5;
export const LABEL_SIZE = 10.5;
export const LABEL_LINE = 13.5;
export const TITLE_SIZE = 16;

export const ICON_SIZE = 12;

export const ICONS: Readonly<Record<LightState, string>> = {
  // A ring of dashes.
  pending:
    "M4.2 1.6A4.7 4.7 0 0 1 7.8 1.6M10.4 4.2A4.7 4.7 0 0 1 10.4 7.8M7.8 10.4A4.7 4.7 0 0 1 4.2 10.4M1.6 7.8A4.7 4.7 0 0 1 1.6 4.2",
  // A triangle that points on.
  running: "M3.5 2L10 6L3.5 10Z",
  // A clock.
  waiting: "M6 1.3A4.7 4.7 0 1 1 6 10.7A4.7 4.7 0 1 1 6 1.3M6 3.4V6L8 7.2",
  // Around and again.
  retrying: "M10.4 4A4.8 4.8 0 1 0 10.7 7.2M10.7 1.6V4.2H8.1",
  completed: "M2 6.4L4.8 9.2L10 3.2",
  // Back on the way: down, and up again.
  recovered: "M2.2 1.8V5.2A3 3 0 0 0 5.2 8.2H9.8M7.4 5.6L10 8.2L7.4 10.8",
  failed: "M2.8 2.8L9.2 9.2M9.2 2.8L2.8 9.2",
  // A ring with a bar through it.
  cancelled: "M6 1.3A4.7 4.7 0 1 1 6 10.7A4.7 4.7 0 1 1 6 1.3M2.8 9.2L9.2 2.8",
  // Two links.
  reused: "M4.8 3.2H3.8A2.8 2.8 0 0 0 3.8 8.8H4.8M7.2 3.2H8.2A2.8 2.8 0 0 1 8.2 8.8H7.2M4 6H8",
};

/** What unfolds when it is clicked. */
export const PLUS = "M6 2.5V9.5M2.5 6H9.5";
