// Inputs of a workflow: defaults, zero values, everything that is wrong with what was given, all at once; and which of them
// are secret, so that what is recorded has placeholders in their place.
import { placeholderOf } from "../../base/events/secrets-in-events.ts";
import { PUT_IN_QUOTES } from "../../base/json/bounded.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { InputField } from "../../language/schema/index.ts";

export interface InputProblem {
  readonly input: string;
  readonly message: string;
  readonly suggestions: readonly string[];
  readonly hint?: string;
  /** A value of its type, as JSON; none of a string. */
  readonly example?: string | undefined;
}

export type ResolvedInputs =
  | { readonly ok: true; readonly inputs: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

type Fields = Readonly<Record<string, InputField>>;

/** A file without `input:` takes any input. */
export function resolveInputs(
  fields: Fields | undefined,
  given: Readonly<Record<string, unknown>>,
  unknown: "refuse" | "drop",
): ResolvedInputs {
  if (!fields) return { ok: true, inputs: { ...given } };
  const problems: InputProblem[] = [];
  const inputs: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(given, name)) {
      const value = given[name];
      if (fits(value, field.type) || (value === null && mayBeNull(field))) inputs[name] = value;
      else {
        const hint = howToKeep(value, field.type);
        problems.push({
          input: name,
          message: `the input ${name} must be ${aWord(field.type)}, and ${field.secret ? "what was given" : shown(value)} is ${aWord(typeName(value))}`,
          suggestions: [],
          ...(hint === undefined ? {} : { hint }),
          example: exampleOf(field, value),
        });
      }
    } else if (field.default !== undefined && field.default !== null) inputs[name] = field.default;
    else if (!field.required) inputs[name] = ZERO[field.type];
    else
      problems.push({
        input: name,
        message: `the input ${name} is missing${field.description ? `: ${field.description}` : ""}`,
        suggestions: [],
        example: exampleOf(field),
      });
  }
  if (unknown === "refuse")
    for (const name of Object.keys(given))
      if (!Object.hasOwn(fields, name))
        problems.push({
          input: name,
          message: `there is no input ${name}; the workflow takes ${Object.keys(fields).join(", ") || "none"}`,
          suggestions: Object.keys(fields),
          hint: `Leave ${name} out, or declare it under \`workflow.input\`.`,
        });
  return problems.length ? { ok: false, problems } : { ok: true, inputs };
}

const ZERO: Readonly<Record<InputField["type"], unknown>> = {
  string: "",
  number: 0,
  boolean: false,
  array: [],
  object: {},
};

const EXAMPLES: Readonly<Partial<Record<InputField["type"], string>>> = {
  number: "1",
  boolean: "true",
  array: '["a", "b"]',
  object: '{"a": 1}',
};

/** What was meant, if it is a number in a text; else any value of the type. */
function exampleOf({ type, secret }: InputField, given?: unknown): string | undefined {
  const isNumber = type === "number" && typeof given === "string" && given.trim() !== "" && !secret;
  return isNumber && Number.isFinite(Number(given)) ? String(Number(given)) : EXAMPLES[type];
}

/** How a value that is not of the declared type is kept as it is. */
function howToKeep(value: unknown, type: InputField["type"]): string | undefined {
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return PUT_IN_QUOTES;
  if (type === "string" && typeof value === "object" && value !== null)
    return "Give its text: in a template, `| tojson` makes it.";
  if (
    type === "number" &&
    typeof value === "string" &&
    /^\s*[+-]?\d[\d_]*\s*$/.test(value) &&
    !Number.isSafeInteger(Number(value))
  )
    return "It has more digits than a number holds: declare the input as a string to keep them.";
  return undefined;
}

export const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** Null for an optional input means that there is no value; `default` in templates replaces it. */
const mayBeNull = ({ required, default: fallback = null }: InputField): boolean => !required || fallback !== null;

const fits = (value: unknown, type: InputField["type"]): boolean => typeName(value) === type;

const aWord = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : type === "null" ? "null" : `a ${type}`);

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
};

type Inputs = Readonly<Record<string, unknown>>;

export interface SplitInputs {
  /** For the journal: secrets are placeholders. */
  readonly journal: Inputs;
  /** Which of the journal's values are placeholders. */
  readonly names: readonly string[];
  readonly secrets: Inputs;
}

export function splitSecrets({ definition }: LoadedWorkflow, inputs: Inputs): SplitInputs {
  const fields = definition.workflow.input ?? {};
  const isSecret = (name: string): boolean => Object.hasOwn(fields, name) && fields[name]?.secret === true;
  const all = Object.keys(inputs);
  const names = all.filter(isSecret);
  return {
    journal: Object.fromEntries(all.map((name) => [name, isSecret(name) ? placeholderOf(name) : inputs[name]])),
    names,
    secrets: Object.fromEntries(names.map((name) => [name, inputs[name]])),
  };
}
