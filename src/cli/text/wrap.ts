// Breaks text at spaces so that no line is wider than asked.
import { widthOf } from "./width.ts";

/** Lines of at most `width` columns; a word that is wider stands alone. Line breaks in the text stay. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => wrapParagraph(paragraph, Math.max(width, 10)));
}

/**
 * A sign and what it says, with the lines after the first below the text and not below the sign. Without a width nothing
 * is broken: a log has no edge, and whole lines can be searched.
 */
export function hang(sign: string, text: string, width: number | undefined): string {
  if (width === undefined) return `${sign} ${text}`;
  const room = widthOf(sign) + 1;
  return wrap(text, width - room)
    .map((line, index) => `${index === 0 ? `${sign} ` : " ".repeat(room)}${line.trimEnd()}`)
    .join("\n");
}

function wrapParagraph(paragraph: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
