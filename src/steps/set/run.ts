// `type: set`. Computes a value, or several, from templates; nothing outside is touched.

import { failed, type Outcome, succeeded } from "../../errors/index.ts";
import { isMapping } from "../../errors/mapping.ts";
import type { EventData } from "../../events/registry.ts";
import type { Context } from "../../template/index.ts";
import { type Attempt, BadValue, type Executor } from "../executor.ts";
import { type OutputFields, schemaViolation } from "../output-schema.ts";
import { renderFields, renderText, renderValue } from "../values.ts";
import { readAs, typeOf } from "./output-type.ts";
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
    return schemaViolation(attempt.node, "set", output, value).then((error) => {
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
