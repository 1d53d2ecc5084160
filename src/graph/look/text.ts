// How wide text will be in a drawing, estimated: without a browser fonts cannot be measured. A little too wide is safe.

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
