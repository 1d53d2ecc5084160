// The one list of templated fields: which texts of each step type are templates. A new step type adds its line.
import type { NodePath } from "../loaded.ts";
import type { Step, StepType } from "../schema/index.ts";

/** Fields whose texts are templates. `*` stands for every entry; all texts at and below a field count. */
const TEMPLATED: Readonly<Record<StepType, readonly string[]>> = {
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
const SEES_ALL_TYPES: ReadonlySet<StepType> = new Set(["human_gate", "questions"]);

/** A text with its place. */
export type Text = { readonly path: NodePath; readonly source: string };

/** All texts at and below a value. */
export function* textsBelow(value: unknown, path: NodePath): Generator<Text> {
  if (typeof value === "string") yield { path, source: value };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsBelow(item, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsBelow(item, [...path, key]);
}

function* textsAt(value: unknown, field: readonly string[], path: NodePath): Generator<Text> {
  const [key, ...rest] = field;
  if (key === undefined) yield* textsBelow(value, path);
  else if (key === "*" && Array.isArray(value))
    for (const [index, item] of value.entries()) yield* textsAt(item, rest, [...path, index]);
  else if (typeof value === "object" && value !== null && Object.hasOwn(value, key))
    yield* textsAt((value as Readonly<Record<string, unknown>>)[key], rest, [...path, key]);
}

export interface TemplatedText extends Text {
  /** Whether it sees every step, whatever `context.mode` says. */
  readonly seesAll: boolean;
}

/** The texts of a step that are templates, or would be if they had braces. */
export function* templatedTexts(step: Step, path: NodePath): Generator<TemplatedText> {
  // A step type that the library's user defined has no line in the table.
  for (const field of TEMPLATED[step.type] ?? []) {
    const seesAll = SEES_ALL_TYPES.has(step.type) || SEES_ALL.has(`${step.type}.${field}`);
    for (const text of textsAt(step, field.split("."), path)) yield { ...text, seesAll };
  }
}

export const looksLikeTemplate = (source: string): boolean => source.includes("{{") || source.includes("{%");
