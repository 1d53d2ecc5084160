// `type: set`. Computes a value, or several, from templates; nothing outside is touched.

import { failed, type Outcome, succeeded } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import type { EventData } from "../../base/events/registry.ts";
import { readNumber } from "../../template/coerce.ts";
import type { Context } from "../../template/index.ts";
import { type OutputFields, schemaViolation } from "../output-schema.ts";
import { readYaml } from "../read-yaml.ts";
import { type Attempt, BadValue, type Executor } from "../step-type.ts";
import { renderFields, renderText, renderValue } from "../values.ts";
import type { SetStep } from "./schema.ts";

export interface PreparedSet {
  readonly value: unknown;
  readonly output?: OutputFields;
}

export const set: Executor<SetStep, PreparedSet> = {
  type: "set",
  version: 1,
  isPure: true,

  prepare(step, { names }) {
    const value = step.values
      ? renderFields(step.output ?? {}, step.values, names, "coerced")
      : typedValue(step, names);
    return step.output ? { value, output: step.output } : { value };
  },

  execute({ value, output }, attempt) {
    if (!output) return completed(value, attempt);
    return schemaViolation(attempt.node, "set", output, value, attempt.workflow.rules).then((error) => {
      if (!error) return completed(value, attempt);
      attempt.emit("set_failed", { agent_name: attempt.node, error_type: error.kind, message: error.message });
      return failed(error, value);
    });
  },
};

function completed(value: unknown, attempt: Attempt): Outcome {
  attempt.emit(
    "set_completed",
    completedData(attempt.node, typeOf(value), isMapping(value) ? Object.keys(value) : NO_KEYS),
  );
  return succeeded(value);
}

/** Shared by many recorded events, so it is frozen. */
const NO_KEYS = Object.freeze([]) as unknown as string[];
const kept = new Map<string, EventData<"set_completed">>();
/** A server runs many workflows; what steps that are long gone recorded need not be kept. */
const MOST_KEPT = 1000;

/** A loop records the same each time: then it is the same object, frozen to say so. */
function completedData(agent_name: string, output_type: string, output_keys: string[]): EventData<"set_completed"> {
  if (output_keys.length > 0) return { agent_name, output_type, output_keys };
  const name = `${output_type} ${agent_name}`;
  let data = kept.get(name);
  if (!data) {
    data = Object.freeze({ agent_name, output_type, output_keys });
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(name, data);
  }
  return data;
}

function typedValue(step: SetStep, names: Context): unknown {
  const wanted = step.output_type ?? "auto";
  // Text that was asked for is not read as anything else first: "1.10" stays "1.10".
  if (wanted === "string" && typeof step.value === "string") return renderText(step.value, names);
  const value = isMapping(step.value)
    ? renderFields(step.output ?? {}, step.value, names, "coerced")
    : renderValue(step.value, names, "coerced");
  if (wanted === "auto" || typeOf(value) === wanted) return value;
  const read = readAs(wanted, value);
  if (read !== undefined) return read;
  throw new BadValue("value", value, `output_type is ${wanted}. \`output_type: string\` keeps it as text`);
}

// `output_type` of a `set` step: a value as the type that was asked for. What Conductor takes is taken: its words for
// booleans, Python's digits, YAML for lists and mappings.

export type TypedOutput = Exclude<NonNullable<SetStep["output_type"]>, "auto">;

/** Only what means the same in both types is converted; undefined when there is no such value. */
function readAs(wanted: TypedOutput, value: unknown): unknown {
  const text = typeof value === "string" ? value.trim() : undefined;
  switch (wanted) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "number":
      return numberOf(text ?? value);
    case "integer": {
      const number = numberOf(text ?? value);
      return Number.isInteger(number) ? number : undefined;
    }
    case "boolean":
      return typeof value === "boolean" ? value : BOOLEANS.get(String(text ?? value).toLowerCase());
    case "list": {
      const list = text === undefined ? value : readYaml(text);
      return Array.isArray(list) ? list : undefined;
    }
    case "dict": {
      const mapping = text === undefined ? value : readYaml(text);
      return isMapping(mapping) ? mapping : undefined;
    }
    default:
      return wanted satisfies never;
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === "string" ? readNumber(value) : typeof value === "number" ? value : undefined;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "y", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "n", "off", "0"].map((word) => [word, false] as const),
]);

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "dict" : typeof value;
}
