// Markdown of a workflow, made safe. The two libraries are loaded when there is some to show; until then it is plain text.
// One line of it needs neither: nothing there can be more than text.

import { useEffect, useRef } from "preact/hooks";

type Write = (text: string) => DocumentFragment;
let loading: Promise<Write> | null = null;

const writer = (): Promise<Write> =>
  (loading ??= import("./markdown-writer.ts").then(({ writeMarkdown }) => writeMarkdown));

export function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isGone = false;
    if (place.current) place.current.textContent = text;
    writer().then(
      (write) => {
        if (!isGone) place.current?.replaceChildren(write(text));
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [text]);
  return <div class="markdown" ref={place} />;
}

interface InlinePiece {
  readonly look: "text" | "code" | "strong" | "em";
  readonly text: string;
}

/** A mark counts where a word could begin or end: `src/**` and `snake_case` are what they are. */
const MARKS = new RegExp(
  [
    "`([^`]+)`",
    "(?<![\\w/*])\\*\\*(?=\\S)([^*]+?)(?<=\\S)\\*\\*(?![\\w/*])",
    "(?<![\\w/*])\\*(?=\\S)([^*]+?)(?<=\\S)\\*(?![\\w/*])",
    "(?<![\\w/])_(?=\\S)([^_]+?)(?<=\\S)_(?![\\w/])",
    "!?\\[([^\\]]*)\\]\\([^()\\s]*\\)",
  ].join("|"),
  "g",
);

/** Rows of tables, rules, fences, tags and pictures say nothing in one line. */
const NO_SENTENCE = /^\s*(?:[|<]|!\[|```|~~~|[-=*_\s]+$)/;

/** The heading or the first line: what a longer text is about. */
export const firstLine = (markdown: string): string =>
  markdown.split("\n").find((line) => line.trim() !== "" && !NO_SENTENCE.test(line)) ?? "";

/** Headings, quotes and lists in a row. */
const inOneLine = (markdown: string): string =>
  markdown
    .trim()
    .replace(/^ {0,3}#{1,6}\s+/gm, "")
    .replace(/^ {0,3}>\s?/gm, "")
    .replace(/\n\s*(?:[-*+]|\d+\.)\s+/g, " · ")
    .replace(/^(?:[-*+]|\d+\.)\s+/, "")
    .replace(/\s+/g, " ")
    .replaceAll(": · ", ": ");

export function inlinePieces(markdown: string): readonly InlinePiece[] {
  const line = inOneLine(markdown);
  const pieces: InlinePiece[] = [];
  let from = 0;
  for (const { 0: whole, index, 1: code, 2: strong, 3: star, 4: score, 5: label } of line.matchAll(MARKS)) {
    if (index > from) pieces.push({ look: "text", text: line.slice(from, index) });
    if (code !== undefined) pieces.push({ look: "code", text: code });
    else if (strong !== undefined) pieces.push({ look: "strong", text: strong });
    else if (label !== undefined) pieces.push({ look: "text", text: label });
    else pieces.push({ look: "em", text: star ?? score ?? "" });
    from = index + whole.length;
  }
  if (from < line.length) pieces.push({ look: "text", text: line.slice(from) });
  return pieces;
}

export const Inline = ({ text }: { readonly text: string }) => (
  <>{inlinePieces(text).map(({ look: Tag, text: one }, key) => (Tag === "text" ? one : <Tag key={key}>{one}</Tag>))}</>
);
