// How rules put names into sentences, so that all of them sound alike.
import { nearest } from "../../errors/nearest.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";

export { didYouMean } from "../../errors/nearest.ts";

export const code = (text: string): string => `\`${text}\``;

/** `a`, `b` or `c`; long lists are cut. */
export function listed(names: readonly string[], conjunction: "or" | "and" = "or", most = 8): string {
  const shown = names.slice(0, most).map(code);
  if (names.length > most) return `${shown.join(", ")} … (${names.length} in all)`;
  const last = shown.pop();
  return shown.length > 0 ? `${shown.join(", ")} ${conjunction} ${last}` : (last ?? "");
}

/** A path as it would stand in a template. */
export const dotted = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (text === "") return part;
    return /^[A-Za-z_]\w*$/.test(part) ? `${text}.${part}` : `${text}['${part}']`;
  }, "");

/** How to call a node of this type in a sentence. */
export function called(type: string): string {
  if (type === "parallel" || type === "for_each") return `${type} group`;
  return type === "agent" ? "agent" : `${type} step`;
}

/**
 * Names close to a word, judged from both sides: `planr` is two letters short of `planner`, which is much for the short
 * word and little for the long one. The nearest candidates, best first, at most three.
 */
export function closest(word: string, candidates: Iterable<string>): readonly string[] {
  const names = [...new Set(candidates)];
  const found = nearest(word, names);
  if (found.length > 0) return found;
  return names.filter((name) => nearest(name, [word]).length > 0).slice(0, 3);
}

// Which names templates can say, and what becomes of one that they cannot: `my-step` is `my` minus `step`.

/** Words of the template language that cannot be names. */
const WORDS: ReadonlySet<string> = new Set([
  ..."and or not in is if else elif for true false none True False None null recursive".split(" "),
  ..."loop self super caller varargs kwargs".split(" "),
]);

export const isSayable = (name: string): boolean => /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(name) && !WORDS.has(name);

const NOT_IN_NAMES = /[^\p{ID_Continue}]+/gu;

/** The nearest name that templates can say. */
export function toIdentifier(name: string): string {
  const spelled = name
    .trim()
    .replace(NOT_IN_NAMES, "_")
    .replace(/^(?=\p{N})/u, "_");
  return isSayable(spelled) ? spelled : `${spelled}_step`;
}

/** The words that a template takes such a name for. */
export const wordsOf = (name: string): readonly string[] => name.split(NOT_IN_NAMES).filter((word) => word !== "");

// What a file says at a place, before defaults and readings: for rules about how something is written.

/** The value at a path; undefined where nothing is written. */
export function writtenAt(raw: unknown, path: NodePath): unknown {
  let here = raw;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[key];
  }
  return here;
}

/** The characters of a number or a boolean as the file has them: `1.10`, where its value is 1.1. */
export function scalarText({ positions, sources }: LoadedWorkflow, path: NodePath, value: unknown): string {
  const { file, line, column } = positions.at(path);
  const rest = sources
    .get(file)
    ?.split("\n")
    [line - 1]?.slice(column - 1);
  return rest?.match(/^[^\s,}\]#]+/)?.[0] ?? String(value);
}
