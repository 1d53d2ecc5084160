// Markdown for a terminal: what prompts of gates are written in. Headings, emphasis, code, lists, links and quotes are
// rendered; tables and whatever else stay as they were typed.
import type { Colors } from "../output.ts";
import { plain } from "../text/harmless.ts";
import { wrap } from "../text/width.ts";

export function renderMarkdown(source: string, colors: Colors, width: number): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of plain(source).replaceAll("\t", "    ").trim().split("\n")) {
    if (fence === undefined) {
      fence = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
      if (fence !== undefined) continue;
    } else if (isEndOf(fence, line)) {
      fence = undefined;
      continue;
    }
    if (fence !== undefined) lines.push(`  ${colors.cyan(line)}`);
    else lines.push(...block(line, colors, width));
  }
  return lines.join("\n");
}

/** Nothing but the same sign, at least as often: what is shown in a block may have shorter fences in it. */
const isEndOf = (fence: string, line: string): boolean =>
  /^ {0,3}(`+|~+)\s*$/.exec(line)?.[1]?.startsWith(fence) === true;

function block(line: string, colors: Colors, width: number): readonly string[] {
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading)
    return [
      colors.bold(
        heading[1] === "#" ? colors.underline(inline(heading[2] ?? "", colors)) : inline(heading[2] ?? "", colors),
      ),
    ];
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [colors.dim("─".repeat(Math.min(width, 40)))];
  if (/^\s*\|/.test(line)) return [line];
  const quote = /^\s*>\s?(.*)$/.exec(line);
  if (quote) return hanging(`${colors.dim("│")} `, `${colors.dim("│")} `, 2, quote[1] ?? "", colors, width);
  const item = /^(\s*)([-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(line);
  if (item) {
    const [, indent = "", bullet = "", box, text = ""] = item;
    const sign = box === undefined ? (/\d/.test(bullet) ? bullet : "•") : box === " " ? "☐" : "☑";
    return hanging(
      `${indent}${sign} `,
      `${indent}${" ".repeat(sign.length)} `,
      indent.length + sign.length + 1,
      text,
      colors,
      width,
    );
  }
  return hanging("", "", 0, line, colors, width);
}

/** Wrapped before it is coloured would cut marks in two, so marks are resolved first; colours take no width. */
function hanging(
  first: string,
  next: string,
  indent: number,
  text: string,
  colors: Colors,
  width: number,
): readonly string[] {
  return wrap(inline(text, colors), width - indent).map((line, index) => `${index === 0 ? first : next}${line}`);
}

/** Emphasis, code and links. What stands in backticks or behind a backslash is left alone. */
export function inline(text: string, colors: Colors): string {
  return text
    .split(/(`+[^`]+`+|\\[\\`*_{}[\]()#+.!|>~-])/)
    .map((part) => {
      if (part.startsWith("`")) return colors.cyan(part.replace(/^`+|`+$/g, ""));
      return part.length === 2 && part.startsWith("\\") ? part.slice(1) : emphasis(part, colors);
    })
    .join("");
}

const link = (name: string, url: string, colors: Colors): string =>
  name && name !== url ? `${colors.underline(name)} (${url})` : colors.underline(url);

const emphasis = (text: string, colors: Colors): string =>
  text
    .replace(/!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g, (_, name: string, url: string) => link(name, url, colors))
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, (_, _mark, inner: string) => colors.bold(inner))
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, (_, inner: string) => colors.italic(inner))
    .replace(/(?<![\w_])_(?=\S)([^_]+?)(?<=\S)_(?![\w_])/g, (_, inner: string) => colors.italic(inner))
    .replace(/~~(?=\S)(.+?)(?<=\S)~~/g, (_, inner: string) => colors.strikethrough(inner));
