// Where a character of a scalar's value stands in the source: quotes, escapes, folded lines and indentation taken off.
import type { ScalarTree } from "./tree.ts";

/** The offset in the source text of the character at `offset` of the value. */
export function sourceOffset(scalar: ScalarTree, offset: number): number {
  const { start, end, source } = scalar.content;
  const written = source.text.slice(start, end);
  const value = String(scalar.value);
  switch (scalar.style) {
    case "literal":
    case "folded":
      return start + alongBlock(written, value, offset, scalar.style === "folded");
    case "single":
    case "double":
      return start + alongFlow(written, value, offset, 1, scalar.style);
    default:
      return start + alongFlow(written, value, offset, 0, "plain");
  }
}

/** `|` and `>`: skip the header, then take off the indentation of each line. */
function alongBlock(written: string, value: string, offset: number, isFolded: boolean): number {
  const body = written.indexOf("\n") + 1;
  if (body === 0) return 0;
  const indent = indentOf(written, body, value);
  const skipIndent = (at: number): number => {
    let next = at;
    while (next < at + indent && written[next] === " ") next++;
    return next;
  };
  let s = skipIndent(body);
  for (let v = 0; v < offset && s < written.length; v++) {
    if (written[s] === "\r") s++;
    if (written[s] !== "\n") s++;
    else if (isFolded && value[v] === " ") s = skipIndent(s + 1);
    else {
      s = skipIndent(s + 1);
      // One empty line between folded lines is one newline in the value: the first break was only the fold.
      if (isFolded && written[s] === "\n" && value[v + 1] !== "\n" && value[v + 1] !== undefined) s = skipIndent(s + 1);
    }
  }
  return s;
}

/** The indentation that every line of a block has; a first line that begins with spaces keeps its own beyond that. */
function indentOf(written: string, body: number, value: string): number {
  const line = /^[ \t]*\S/m.exec(written.slice(body));
  const first = /^[ \t]*(?=\S)/m.exec(value);
  return line ? line[0].length - 1 - (first?.[0].length ?? 0) : 0;
}

/** Plain and quoted text: walk value and source together; where the source breaks a line, the value has one blank. */
function alongFlow(
  written: string,
  value: string,
  offset: number,
  from: number,
  style: "plain" | "single" | "double",
): number {
  let s = from;
  for (let v = 0; v < offset && s < written.length; ) {
    const fold = /[ \t]*\r?\n\s*/y;
    fold.lastIndex = s;
    const broken = fold.exec(written);
    if (broken) {
      const breaks = broken[0].split("\n").length - 1;
      s += broken[0].length;
      v += breaks === 1 ? 1 : breaks - 1;
    } else if (style === "double" && written[s] === "\\") {
      const { length, characters } = escapeAt(written, s);
      s += length;
      v += characters;
    } else {
      s += style === "single" && written[s] === "'" ? 2 : 1;
      v += 1;
    }
    if (v > value.length) break;
  }
  return s;
}

function escapeAt(written: string, at: number): { readonly length: number; readonly characters: number } {
  switch (written[at + 1]) {
    case "x":
      return { length: 4, characters: 1 };
    case "u":
      return { length: 6, characters: 1 };
    case "U":
      return { length: 10, characters: Number.parseInt(written.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1 };
    case "\n":
    case "\r": {
      const rest = /\r?\n[ \t]*/y;
      rest.lastIndex = at + 1;
      return { length: 1 + (rest.exec(written)?.[0].length ?? 1), characters: 0 };
    }
    default:
      return { length: 2, characters: 1 };
  }
}
