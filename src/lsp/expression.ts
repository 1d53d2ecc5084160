// The expression that a cursor stands in: in the braces of a template, in a condition, or in a reference.
import type { NodePath } from "../language/loaded.ts";
import type { CursorPlace } from "./cursor.ts";

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
  if (last === "source") return path[0] === "for_each" || path[0] === "agents" || path[0] === "steps";
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
