// The little Markdown that the generated pages need.

/** A bar would end a cell, also inside code. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ").trim();

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** The anchor that a heading gets on the web. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .trim()
    .replaceAll(" ", "-");

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const paragraphs = (...parts: readonly (string | false | undefined)[]): string =>
  `${parts.filter(Boolean).join("\n\n")}\n`;

/** So that nobody edits what the next `npm run docs` overwrites. */
export const generated = (source: string): string => `<!-- Written by \`npm run docs\` from ${source}. Edit there. -->`;
