// What a terminal would have coloured. Colours and weights are taken, everything else that a terminal obeys is dropped.

export interface Styled {
  readonly text: string;
  readonly look: string;
}

const ESCAPES =
  /\x1b\[([\d;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[PX^_][^\x1b]*(?:\x1b\\|$)|\x1b[@-_]|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f\x80-\x9f]/g;
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const ON: Readonly<Record<number, string>> = { 1: "bold", 2: "faint", 3: "italic", 4: "underline" };
const OFF: Readonly<Record<number, readonly string[]>> = { 22: ["bold", "faint"], 23: ["italic"], 24: ["underline"] };

const WEIGHTS = Object.values(ON);

interface Pen {
  color: string;
  readonly weights: Set<string>;
}

const lookOf = ({ color, weights }: Pen): string =>
  [color, ...WEIGHTS.filter((weight) => weights.has(weight))]
    .filter(Boolean)
    .map((name) => `ansi-${name}`)
    .join(" ");

/** One line, without its end. A `\r` starts it anew, as a progress bar does. */
export function styledLine(line: string): readonly Styled[] {
  const last = line.replace(/\r+$/, "");
  const text = last.slice(last.lastIndexOf("\r") + 1);
  if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)) return [{ text, look: "" }];
  const parts: Styled[] = [];
  const pen: Pen = { color: "", weights: new Set() };
  let from = 0;
  const add = (to: number): void => {
    if (to > from) parts.push({ text: text.slice(from, to), look: lookOf(pen) });
  };
  for (const found of text.matchAll(ESCAPES)) {
    add(found.index);
    from = found.index + found[0].length;
    if (found[1] !== undefined) write(pen, found[1]);
  }
  add(text.length);
  return parts;
}

function write(pen: Pen, codes: string): void {
  const list = (codes === "" ? "0" : codes).split(/[;:]/).map(Number);
  for (let index = 0; index < list.length; index++) {
    const code = list[index] ?? 0;
    const weight = ON[code];
    if (code === 0) pen.weights.clear();
    if (code === 0 || code === 39) pen.color = "";
    else if (weight) pen.weights.add(weight);
    else if (OFF[code]) for (const off of OFF[code]) pen.weights.delete(off);
    else if (code >= 30 && code <= 37) pen.color = NAMES[code - 30] ?? "";
    else if (code >= 90 && code <= 97) pen.color = NAMES[code - 90] ?? "";
    // A colour of 256 or of millions: its place in the list is passed over, the text keeps ours.
    else if (code === 38 || code === 48) index += list[index + 1] === 5 ? 2 : 4;
  }
}

/** What is left when a terminal's commands are taken out: what a search looks at. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPES, "");
