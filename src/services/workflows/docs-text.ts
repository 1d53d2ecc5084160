// The pages of docs/ as they came with the program, cut by their headings: what agents read of the language is made of them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../session/home.ts";

export interface DocsSection {
  /** 1 for the page's title. */
  readonly level: number;
  readonly heading: string;
  readonly anchor: string;
  /** Without the heading, up to the next heading of any level. */
  readonly body: string;
}

/** As links name a heading: `` `type: script` `` is `type-script`. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** The names of all pages, without `.md`. */
export const DOCS = (
  "agents cheat-sheet ci cli coding-agents conductor dashboard editor errors evals events gallery gates getting-started history " +
  "kinds library limits mcp others performance projects reference resilience resilience-alone resume scaling security telemetry " +
  "templates terminate testing triggers typescript windows words"
).split(" ");

const read = new Map<string, readonly DocsSection[]>();

/** Empty where this copy of the program has no docs, which a package always has. */
export function sectionsOf(page: string): readonly DocsSection[] {
  let sections = read.get(page);
  if (!sections) {
    const file = join(packageFolder() ?? "", "docs", `${page}.md`);
    sections = existsSync(file) ? cutByHeadings(readFileSync(file, "utf8")) : [];
    read.set(page, sections);
  }
  return sections;
}

const HEADING = /^(#{1,6}) (.+)$/;

function cutByHeadings(text: string): readonly DocsSection[] {
  const sections: { level: number; heading: string; anchor: string; lines: string[] }[] = [];
  const used = new Map<string, number>();
  let fence = "";
  for (const line of text.replace(/^<!--[\s\S]*?-->\n/, "").split("\n")) {
    const [, opened = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === "") fence = opened;
    else if (opened.startsWith(fence)) fence = "";
    const [, marks = "", heading = ""] = (fence === "" && HEADING.exec(line)) || [];
    if (heading === "") {
      sections.at(-1)?.lines.push(line);
      continue;
    }
    // As on the web: the second heading of a name has a number.
    const count = used.get(anchorOf(heading)) ?? 0;
    used.set(anchorOf(heading), count + 1);
    const anchor = `${anchorOf(heading)}${count === 0 ? "" : `-${count}`}`;
    sections.push({ level: marks.length, heading, anchor, lines: [] });
  }
  return sections.map(({ lines, ...section }) => ({ ...section, body: lines.join("\n").trim() }));
}

/** The section of an anchor with those below it; without an anchor the whole page. */
export function sectionsAt(page: string, anchor: string | undefined): readonly DocsSection[] {
  const all = sectionsOf(page);
  if (anchor === undefined) return all;
  const start = all.findIndex((section) => section.anchor === anchor);
  if (start < 0) return [];
  const level = all[start]?.level ?? 0;
  const next = all.findIndex((section, index) => index > start && section.level <= level);
  return all.slice(start, next < 0 ? undefined : next);
}
