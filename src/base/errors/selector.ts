// What `on_error:` may say, and whether it matches a kind. Used by routes, retry policies, breakers and letter filters.
import { isKind } from "./kinds.ts";

/** `true` and `"*"` match every kind, `a.b.*` every kind below `a.b.` by whole segments, a list any of its entries. */
export type Selector = true | string | readonly string[];

export function matches(selector: Selector, kind: string): boolean {
  if (selector === true) return true;
  if (Array.isArray(selector)) return selector.some((one: string) => matches(one, kind));
  if (typeof selector !== "string" || typeof kind !== "string")
    throw new TypeError("matches takes a selector such as `http.*`, or a list of them, and a kind");
  if (selector === "*") return true;
  if (selector.endsWith(".*")) return kind.startsWith(selector.slice(0, -1));
  return selector === kind;
}

/** Whether a selector matches whatever may come. */
export const isCatchAll = (selector: Selector): boolean =>
  selector === true || selector === "*" || (Array.isArray(selector) && selector.includes("*"));

const PREFIX_FORMAT = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\.\*$/;

/** Whether one word of a selector is well formed: a kind, `prefix.*`, or `*`. */
export const isSelectorWord = (word: string): boolean => word === "*" || isKind(word) || PREFIX_FORMAT.test(word);

/** The words of a selector, one by one. */
export const selectorWords = (selector: Selector): readonly string[] =>
  selector === true ? ["*"] : typeof selector === "string" ? [selector] : selector;
