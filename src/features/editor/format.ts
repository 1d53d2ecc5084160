// Formatting that only moves lines to their indentation and writes one kind of quotes. Comments, blank lines, the order and the
// layout of everything else stay; a text whose meaning would change is left as it is.

import { isDeepStrictEqual } from "node:util";
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { yamlLibrary } from "../../language/tree.ts";
import { applied, parsedYaml, SourceText, type TextChange } from "./text.ts";

const STEP = 2;

/** The formatted text; the same one when there is nothing to do, or when the text has an error. */
export function formatted(source: string): string {
  const text = withQuotes(source);
  const document = parsed(text);
  if (document.errors.length > 0) return source;
  const result = indented(new SourceText(text), document);
  const after = parsed(result);
  return after.errors.length === 0 && isDeepStrictEqual(plain(after), plain(parsed(source))) ? result : source;
}

const parsed = (text: string): Document => parsedYaml(text, (tag, written) => `${tag} ${written}`);

const plain = (document: Document): unknown => unlessItThrows(() => document.toJS(), undefined);

/** 'text' as "text" where nothing in it would have to be escaped. */
function withQuotes(text: string): string {
  const { visit } = yamlLibrary();
  const document = parsed(text);
  if (document.errors.length > 0) return text;
  const changes: TextChange[] = [];
  visit(document, {
    Scalar(_, { type, range }) {
      if (type !== "QUOTE_SINGLE" || !range) return;
      const [start, end] = range;
      const inner = text.slice(start + 1, end - 1);
      if (!/["'\\\n]/.test(inner)) changes.push({ start, end, newText: `"${inner}"` });
    },
  });
  return applied(text, changes);
}

/** Where a line is to begin, and from which column what follows it moves along. */
interface Target {
  readonly indent: number;
  /** Of its first key, dashes left out: before, and after. */
  readonly was: number;
  readonly now: number;
}

function indented(text: SourceText, document: Document): string {
  const { isMap, isSeq, isNode } = yamlLibrary();
  const targets = new Map<number, Target>();
  const isFlow = (node: Node): boolean => /^[[{]/.test(text.text[node.range?.[0] ?? 0] ?? "");
  const place = (offset: number) => {
    const { line, character } = text.position(offset);
    return { line, character, before: text.line(line).slice(0, character) };
  };
  const block = (node: unknown, indent: number): void => {
    if (!isNode(node) || isFlow(node)) return;
    if (isMap(node))
      for (const { key, value } of (node as YAMLMap).items as readonly Pair<Node, Node | null>[]) {
        const { line, character, before } = place(key.range?.[0] ?? 0);
        if (before.trim() === "") targets.set(line, { indent, was: character, now: indent });
        block(value, indent + STEP);
      }
    else if (isSeq(node))
      for (const item of (node as YAMLSeq<Node>).items) {
        const { line, character, before } = place(item.range?.[0] ?? 0);
        if (/^\s*-\s+$/.test(before)) targets.set(line, { indent, was: character, now: indent + STEP });
        block(item, indent + STEP);
      }
  };
  block(document.contents, 0);
  const lines = text.text.split("\n");
  const texts = textLines(document, text);
  let shift = 0;
  const moved = lines.map((line, number) => {
    const target = targets.get(number);
    if (target) {
      shift = target.now - target.was;
      const rest = line.slice(target.was);
      return `${" ".repeat(target.indent)}${target.indent === target.now ? "" : "- "}${rest}`.trimEnd();
    }
    if (texts.has(number)) return line.trim() === "" ? line : shifted(line, shift);
    if (line.trim() === "") return "";
    const next = /^\s*#/.test(line) ? nextTarget(lines, targets, number) : undefined;
    return next === undefined ? shifted(line, shift).trimEnd() : `${" ".repeat(next.indent)}${line.trim()}`;
  });
  return moved.join("\n");
}

/** A comment stands where the line stands that it is about: the next one. */
function nextTarget(lines: readonly string[], targets: ReadonlyMap<number, Target>, from: number): Target | undefined {
  for (let number = from + 1; number < lines.length; number++) {
    if (/^\s*(?:#.*)?$/.test(lines[number] ?? "")) continue;
    return targets.get(number);
  }
  return undefined;
}

function shifted(line: string, shift: number): string {
  if (shift >= 0) return " ".repeat(shift) + line;
  const blank = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(blank, -shift));
}

/** Lines inside of block texts and of quotes: there a blank at the end of a line has a meaning. */
function textLines(document: Document, text: SourceText): ReadonlySet<number> {
  const { visit } = yamlLibrary();
  const found = new Set<number>();
  visit(document, {
    Scalar(_, { range }) {
      if (!range) return;
      const first = text.position(range[0]).line;
      for (let line = first + 1; line <= text.position(Math.max(range[0], range[1] - 1)).line; line++) found.add(line);
    },
  });
  return found;
}
