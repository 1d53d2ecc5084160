// What stands at a place of a file: the path to it, whether it is a key or a value, and the expression around it. A mark is put
// there and the text parsed with it, so that an empty place, and a line that is only half written, have a path as well.
import type { Node, Pair, YAMLSeq } from "yaml";
import { isMapping, unlessItThrows } from "../../../base/errors/mapping.ts";
import { INCLUDE_TAGS } from "../../../language/grow.ts";
import type { NodePath } from "../../../language/loaded.ts";
import { isStepsKey } from "../../../language/schema/names.ts";
import { yamlLibrary } from "../../../language/tree.ts";

export interface CursorPlace {
  /** To the value; of a key, to the mapping that it stands in. */
  readonly path: NodePath;
  readonly part: "key" | "value";
  /** The scalar, as its value reads, up to the cursor and all of it. */
  readonly before: string;
  readonly value: string;
  /** Offsets of the scalar in the text, quotes left out. */
  readonly start: number;
  readonly end: number;
  /** It stands after `!file` or `!yamlfile`. */
  readonly isFile: boolean;
  /** It may turn out to be a key: it stands alone, on a line of its own or in a list. */
  readonly mayBeKey: boolean;
  /** What the whole file says. */
  readonly root: unknown;
}

const MARK = "\uE0FF";
const MARKS = new RegExp(MARK, "g");

export function cursorAt(text: string, offset: number): CursorPlace | undefined {
  const [before, after] = [text.slice(0, offset), text.slice(offset)];
  const found = placeOfMark(`${before}${MARK}${missingQuote(text, offset)}${after}`);
  // A word above the first key of a mapping, without its colon yet, is read as one key with it.
  return found?.part === "key" && text.slice(found.start, found.end).includes("\n")
    ? placeOfMark(`${before}${MARK}${after.replace(/^[\w-]*/, "$&:")}`)
    : found;
}

function placeOfMark(marked: string): CursorPlace | undefined {
  const { visit, isScalar, isPair, isSeq } = yamlLibrary();
  const document = parsed(marked);
  let found: Omit<CursorPlace, "root"> | undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== "string" || !node.value.includes(MARK) || !node.range) return undefined;
      const [from, to] = node.range;
      const quote = node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE" ? 1 : 0;
      const line = marked.slice(marked.lastIndexOf("\n", from) + 1, from);
      found = {
        path: pathOf([...ancestors, node] as readonly Node[], key === "key"),
        part: key === "key" ? "key" : "value",
        before: node.value.slice(0, node.value.indexOf(MARK)),
        value: node.value.replace(MARKS, ""),
        start: from + quote,
        end: to - quote - 1,
        isFile: INCLUDE_TAGS.some((tag) => tag === node.tag),
        mayBeKey: quote === 0 && (/^[\s-]*$/.test(line) || key !== "value"),
      };
      return visit.BREAK;
    },
  });
  // An alias without an anchor: the rest of the file is not known then.
  return found && { ...found, root: unlessItThrows(() => document.toJS(), undefined) };

  function pathOf(nodes: readonly unknown[], isKey: boolean): NodePath {
    const path: (string | number)[] = [];
    nodes.forEach((node, index) => {
      const next = nodes[index + 1];
      if (isPair(node) && !(isKey && index === nodes.length - 2)) {
        const { key } = node as Pair;
        path.push(isScalar(key) ? String(key.value).replace(MARKS, "") : String(key));
      } else if (isSeq(node) && next !== undefined) path.push((node as YAMLSeq).items.indexOf(next));
    });
    return path;
  }
}

/** A quote that is not closed yet would take in the lines below. */
function missingQuote(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  const [, quote = ""] = /(?:^|[\s[{,])(?:("(?=(?:[^"\\]|\\.)*$)|'(?=[^']*$))).*$/.exec(line) ?? [];
  return /^[^\n]*/.exec(text.slice(offset))?.[0].includes(quote) ? "" : quote;
}

/** Whatever can be read of a text. */
const parsed = (text: string) =>
  yamlLibrary().parseDocument(text, {
    uniqueKeys: false,
    logLevel: "silent",
    customTags: INCLUDE_TAGS.map((tag) => ({ tag, resolve: (written: string) => written })),
  });

export const plainYaml = (text: string): unknown => unlessItThrows(() => parsed(text).toJS() as unknown, undefined);

/** What a path leads to in plain values. */
export function valueBelow(value: unknown, path: NodePath): unknown {
  let here = value;
  for (const key of path)
    here =
      typeof here === "object" && here !== null && Object.hasOwn(here, key)
        ? (here as Readonly<Record<string | number, unknown>>)[key]
        : undefined;
  return here;
}

/** The same in a file that is being written. */
export function plainAt(root: unknown, path: NodePath): unknown {
  const at = valueBelow(root, path);
  return typeof at === "string" ? at.replace(MARKS, "") : at;
}

/** The keys of the mapping at a path, without the one that is being written. */
export const keysAt = (root: unknown, path: NodePath): readonly string[] => {
  const there = plainAt(root, path);
  return isMapping(there) ? Object.keys(there).filter((key) => !key.includes(MARK)) : [];
};

/** The step or group that a path of a workflow leads into: its own path in the file. */
export function nodePathOf(path: NodePath): NodePath | undefined {
  const [section, index, inner] = path;
  if (typeof index !== "number") return undefined;
  if (isStepsKey(section) || section === "parallel") return path.slice(0, 2);
  if (section === "for_each") return inner === "agent" ? path.slice(0, 3) : path.slice(0, 2);
  return undefined;
}

export interface Expression {
  /** Names before the last dot. */
  readonly path: readonly string[];
  /** What is written of the last one. */
  readonly prefix: string;
  readonly isFilter: boolean;
}

/** Fields that are expressions without braces: conditions, and dotted paths. */
export function isBare(path: NodePath): boolean {
  const last = path.at(-1);
  if (last === "when") return true;
  if (last === "source") return path[0] === "for_each" || isStepsKey(path[0]);
  return typeof last === "number" && path.at(-2) === "input" && path.length === 4;
}

/** The text of the expression up to the cursor; nothing where the cursor stands in plain text. */
function expressionText({ before, path, part }: CursorPlace): string | undefined {
  if (part === "key") return undefined;
  const open = Math.max(before.lastIndexOf("{{"), before.lastIndexOf("{%"));
  if (open >= 0 && !/[}%]\}/.test(before.slice(open + 2))) return before.slice(open + 2);
  return isBare(path) && !before.includes("{{") ? before : undefined;
}

export function expressionAt(cursor: CursorPlace): Expression | undefined {
  const text = expressionText(cursor);
  if (text === undefined || isInText(text)) return undefined;
  const filter = /(?:^|[^|])\|\s*(\w*)$/.exec(text);
  if (filter) return { path: [], prefix: filter[1] ?? "", isFilter: true };
  const names = /(?:^|[^\w.\])])((?:[A-Za-z_]\w*(?:\[\d+\])*\.)*)([A-Za-z_]?\w*)$/.exec(text);
  if (!names) return undefined;
  const path = (names[1] ?? "").split(".").filter(Boolean);
  return { path: path.map((name) => name.replace(/\[\d+\]/g, "")), prefix: names[2] ?? "", isFilter: false };
}

/** The whole dotted path under the cursor: `build.output.version` up to the name that it stands on. */
export function referenceAt(cursor: CursorPlace): readonly (string | number)[] | undefined {
  const text = expressionText(cursor);
  if (text === undefined || isInText(text)) return undefined;
  const before = /((?:[A-Za-z_]\w*(?:\[\d+\])*\.)*[A-Za-z_]?\w*)$/.exec(text)?.[1] ?? "";
  const after = /^\w*/.exec(cursor.value.slice(cursor.before.length))?.[0] ?? "";
  const whole = before + after;
  if (!/^[A-Za-z_]/.test(whole)) return undefined;
  return whole
    .split(/\.|\[|\]/)
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

const isInText = (text: string): boolean =>
  (text.match(/"/g)?.length ?? 0) % 2 === 1 || (text.match(/'/g)?.length ?? 0) % 2 === 1;
