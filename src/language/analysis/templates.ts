// The one list of templated fields: which texts of each step type are templates. A new step type adds its line.
import type { NodePath } from "../loaded.ts";
import type { Step, StepTypeName } from "../schema/index.ts";

/** Fields whose texts are templates. `*` stands for every entry; all texts at and below a field count. */
const TEMPLATED: Readonly<Record<StepTypeName, readonly string[]>> = {
  agent: [
    "prompt",
    "system_prompt",
    "model",
    "reasoning.effort",
    "validator.criteria",
    "validator.model",
    "working_dir",
  ],
  script: ["command", "args", "env", "stdin", "working_dir"],
  http: ["url", "headers", "query", "body"],
  mcp: ["arguments"],
  set: ["value", "values"],
  wait: ["duration", "reason"],
  human_gate: ["prompt", "options.*.label", "options.*.description"],
  questions: ["prompt", "questions.*.text", "questions.*.hint", "questions.*.choices", "questions.*.default"],
  workflow: ["input_mapping"],
  terminate: ["reason", "output_template"],
};

/** Fields that see every step whatever `context.mode` says, as in Conductor. */
const SEES_ALL: ReadonlySet<string> = new Set(["terminate.output_template"]);
const SEES_ALL_TYPES: ReadonlySet<StepTypeName> = new Set(["human_gate", "questions"]);

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
  // A step type that the library's user defined has no line in the table.
  return (TEMPLATED[step.type] ?? []).flatMap((field) => {
    const seesAll = SEES_ALL_TYPES.has(step.type) || SEES_ALL.has(`${step.type}.${field}`);
    return textsAt(step, field.split("."), path).map((text) => ({ ...text, seesAll }));
  });
}

export const looksLikeTemplate = (source: string): boolean => source.includes("{{") || source.includes("{%");
