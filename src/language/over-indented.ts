// A key that is indented further than the key before it. YAML reads it as more of that key's text, and its parser reports
// the line where the text begins; the mistake is on the line of the second key.
import type { YAMLError } from "yaml";

export interface OverIndented {
  /** Where the key stands in the text. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

/** Nothing where the text does not begin behind a `key:` or a `-`: there the colon of a key is missing. */
export function overIndentedKey({ code, pos: [start, end] }: YAMLError, text: string): OverIndented | undefined {
  const read = text.slice(start, end);
  const lastLine = read.lastIndexOf("\n") + 1;
  if (code !== "MULTILINE_IMPLICIT_KEY" || lastLine === 0) return undefined;
  const key = read.slice(lastLine).trim();
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const [, indent, owner] = /^(\s*(?:-\s+)*)(?:([^\s:][^:]*):\s+)?$/.exec(before) ?? [];
  if (indent === undefined || before.trim() === "") return undefined;
  const keyStart = start + lastLine + read.slice(lastLine).search(/\S/);
  const where =
    owner === undefined
      ? "Start it in the same column as the key that it stands beside."
      : `Start it in column ${indent.length + 1}, as \`${owner}\` does.`;
  return {
    start: keyStart,
    end: keyStart + key.length,
    message: `\`${key}\` is indented further than the line before it, so YAML reads it as more of the value there. ${where}`,
  };
}
