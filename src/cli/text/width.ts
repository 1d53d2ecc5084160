// How many terminal columns a text takes: escape sequences none, combining marks none, wide characters two.

const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** East Asian wide and fullwidth blocks, as ranges of code points. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

export function widthOfCharacter(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return 1;
  if (ZERO.test(character)) return 0;
  if (WIDE.some(([from, to]) => code >= from && code <= to) || EMOJI.test(character)) return 2;
  return 1;
}

const ASCII = /^[\x20-\x7e]*$/;

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(ESCAPES, "")) width += widthOfCharacter(character);
  return width;
}

/** The text cut to at most `width` columns, with an ellipsis when something is missing. Escape sequences survive. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let room = Math.max(width - 1, 0);
  let kept = "";
  let colored = false;
  for (const part of text.split(/(\u001b\[[0-9;?]*[ -/]*[@-~])/)) {
    if (part.startsWith("\u001b[")) {
      kept += part;
      colored = true;
      continue;
    }
    for (const character of part) {
      const wide = widthOfCharacter(character);
      if (wide > room) return `${kept}…${colored ? "\u001b[0m" : ""}`;
      kept += character;
      room -= wide;
    }
  }
  return kept;
}

/** Filled up with spaces to `width` columns. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(width - widthOf(text), 0));
