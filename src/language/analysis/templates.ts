// Which texts of a step are templates.

import { stepTypeOf } from "../../steps/types.ts";
import type { NodePath } from "../loaded.ts";
import type { Step } from "../schema/index.ts";

/** A text with its place. */
export type Text = { readonly path: NodePath; readonly source: string };

/** All texts at and below a value. */
export function textsBelow(value: unknown, path: NodePath, found: Text[] = []): readonly Text[] {
  if (typeof value === "string") found.push({ path, source: value });
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) textsBelow(item, [...path, index], found);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) textsBelow(item, [...path, key], found);
  return found;
}

function textsAt(value: unknown, [key, ...rest]: readonly string[], path: NodePath): readonly Text[] {
  if (key === undefined) return textsBelow(value, path);
  if (key === "*" && Array.isArray(value)) return value.flatMap((item, index) => textsAt(item, rest, [...path, index]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  return textsAt((value as Readonly<Record<string, unknown>>)[key], rest, [...path, key]);
}

export interface TemplatedText extends Text {
  /** Whether it sees every step, whatever `context.mode` says. */
  readonly seesAll: boolean;
}

/** The texts of a step that are templates, or would be if they had braces. */
export function templatedTexts(step: Step, path: NodePath): readonly TemplatedText[] {
  const { templates = [], seesAll = [] } = stepTypeOf(step);
  return templates.flatMap((field) =>
    textsAt(step, field.split("."), path).map((text) => ({ ...text, seesAll: seesAll.includes(field) })),
  );
}

export const looksLikeTemplate = (source: string): boolean => source.includes("{{") || source.includes("{%");
