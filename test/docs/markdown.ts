// Reads the pages: which code blocks they have, and where they link to.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(import.meta.url), "../../..");

export interface Page {
  /** Relative to the project: `docs/errors.md`. */
  readonly name: string;
  readonly text: string;
}

export const pages: readonly Page[] = [
  ...(existsSync(join(root, "README.md")) ? ["README.md"] : []),
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name}`),
].map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/**
 * A fenced block, or a hidden `<!-- run: … -->` that does what the text asks the reader to do by hand.
 * Words after the language: `file=x.yaml` (the page shows that file), `part` (no whole workflow), `example` (not run),
 * `run` (run, although it does not begin with `segno`).
 */
export interface Block {
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly file?: string;
  readonly text: string;
  /** Whether only blank lines stand between the block before and this one. */
  readonly follows: boolean;
}

/** Whether test/docs/commands.test.ts runs it. */
export const isRun = ({ language, words, file, text }: Block): boolean =>
  language === "hidden" ||
  (language === "sh" && !file && !words.includes("example") && (words.includes("run") || /^(npx )?segno/.test(text)));

const FENCE = /^( *)(`{3,})(\S*) *(.*)$/;
const HIDDEN = /^<!-- run: (.*) -->$/;

export function blocksOf({ text }: Page): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let follows = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const hidden = HIDDEN.exec(line);
    if (hidden) blocks.push({ line: at + 1, language: "hidden", words: [], text: hidden[1] ?? "", follows });
    const [, indent = "", ticks, language = "", rest = ""] = FENCE.exec(line) ?? [];
    if (!ticks) {
      if (line.trim() !== "" && !hidden) follows = false;
      continue;
    }
    const start = at + 1;
    const body: string[] = [];
    for (at++; at < lines.length && lines[at]?.trim() !== ticks; at++)
      body.push((lines[at] ?? "").slice(indent.length));
    const words = rest.split(/\s+/).filter(Boolean);
    const file = words.find((word) => word.startsWith("file="))?.slice(5);
    blocks.push({ line: start, language, words, ...(file ? { file } : {}), text: `${body.join("\n")}\n`, follows });
    follows = true;
  }
  return blocks;
}

/** The page without its code, in which `[x](y)` would be no link. */
export const proseOf = ({ text }: Page): string =>
  text
    .replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?\n\1\2$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, " "));
