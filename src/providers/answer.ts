// Finds the JSON in a model's text: the whole text, then fenced blocks, then from the first bracket on.
import { NestedTooDeeply, parseJson } from "../json/bounded.ts";
import { unwrapped } from "./answer-shape.ts";

const FENCE = /```[a-zA-Z0-9_-]*[ \t]*\r?\n([\s\S]*?)```/g;

/** What is nested too deeply is thrown on: a part of it, found further inside, would be another answer. */
const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: parseJson(text) };
  } catch (problem) {
    if (problem instanceof NestedTooDeeply) throw problem;
    return undefined;
  }
};

const isStructure = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The first balanced object or list that starts at `start`, brackets inside strings aside. */
export function balanced(text: string, start: number): string | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return text.slice(start, at + 1);
    }
  }
  return undefined;
}

/** How many opening brackets are tried: prose may have a stray one, a long text must not cost a long time. */
const MOST_STARTS = 50;

function findJson(text: string): { readonly value: unknown } | undefined {
  const whole = parse(text.trim());
  if (whole) return whole;
  for (const [, inside] of text.matchAll(FENCE)) {
    const found = parse((inside ?? "").trim());
    if (found && isStructure(found.value)) return found;
  }
  let tried = 0;
  for (const { index } of text.matchAll(/[{[]/g)) {
    if (tried++ >= MOST_STARTS) return undefined;
    const candidate = balanced(text, index);
    const found = candidate === undefined ? undefined : parse(candidate);
    if (found) return found;
  }
  return undefined;
}

/** The answer as a value; the text itself when there is no JSON in it, for the step to ask again. */
export function parseAnswer(text: string, wrapped: boolean): unknown {
  let found: ReturnType<typeof findJson>;
  try {
    found = findJson(text);
  } catch {
    return text;
  }
  if (!found) return text;
  return wrapped ? unwrapped(found.value) : found.value;
}
