// A step or a group before it has a name: what a file would say of it, what only code can hold, and, for the compiler alone,
// what it gives and which kinds it raises. Schemas become the fields that a file has.
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import type { Envelope } from "../../../base/errors/index.ts";
import { isMapping, type JsonSchema, type Mapping } from "../../../base/errors/mapping.ts";
import {
  type AnySchema,
  isStandardSchema,
  type JsonSchemaLike,
  jsonSchemaOf,
} from "../../../frontends/library/standard-schema.ts";
import { shown } from "../../../frontends/library/wording.ts";
import type { Definition, StepFunction } from "../../../services/own-steps/definition.ts";
import { FIELD_TYPES } from "../../../steps/schema/readings.ts";
import { typedValue, written } from "./ref.ts";

declare const TYPES: unique symbol;
declare const ENDED: unique symbol;
/** @internal */
export const PARTS: unique symbol = Symbol("parts");

/** What a node is made of. */
export interface NodeParts {
  /** As a file has it, without name and routes. */
  readonly fields: Mapping;
  /** Of a function step, and whether it is given the workflow's inputs. */
  readonly run?: StepFunction;
  readonly takesInput?: boolean;
  /** Of a sub-workflow that is a definition. */
  readonly child?: Definition;
  /** Of a group of steps that run at the same time, by name. */
  readonly members?: Readonly<Record<string, Node>>;
  /** Of a group that runs one step for each item. */
  readonly item?: Node;
}

/**
 * A step or a group. `Input` is what it takes of the workflow, `Reads` what templates can read of it, `Kind` which errors
 * routes can handle, `Leaves` which errors may leave it.
 */
export interface Node<Input = never, Reads = unknown, Kind extends string = string, Leaves = unknown> {
  readonly [TYPES]?: readonly [takes: (input: Input) => void, Reads, Kind, Leaves];
  /** @internal */
  readonly [PARTS]: NodeParts;
}

/** What templates read of a step. */
export type StepRead<Output> = { readonly output: Output; readonly error: Envelope };

/** The same of a gate. */
export type GateRead<Choice> = StepRead<Readonly<{ selected: Choice; choice: Choice; additional_input: Texts }>>;
export type Texts = Readonly<Record<string, string>>;

/** Of a terminate step: what the workflow gives when this step ends it well. */
export type Ended<Output> = { readonly [ENDED]: Output };

/** What the engine can raise at any step. */
type Anywhere =
  | `internal.${"step_error" | "template_error" | "bad_value" | "no_route" | "timeout"}`
  | "policy.denied"
  | "circuit.open";
type Undelivered = "internal.schema_violation" | "internal.undeclared_kind";
type OfMcp = "mcp.tool_error" | "mcp.protocol_error";

/** What the engine can raise, by the type of a step. */
export interface EngineKinds {
  readonly function: Anywhere | "internal.undeclared_kind";
  readonly script: Anywhere | Undelivered | `internal.${"command_not_found" | "resource_exhausted" | "script_error"}`;
  readonly agent: Anywhere | Undelivered | OfMcp | `provider.${"exhausted" | "rejected" | "denied"}`;
  readonly http: Anywhere | "internal.schema_violation" | `http.${"unavailable" | "status" | "network"}`;
  readonly mcp: Anywhere | "internal.schema_violation" | OfMcp;
  readonly set: Anywhere | "internal.schema_violation";
  readonly wait: Anywhere;
  readonly human_gate: Anywhere | "gate.timeout";
  readonly questions: Anywhere | "gate.timeout";
  readonly workflow: Anywhere | "internal.undeclared_kind" | `subworkflow.${"terminated" | "failed"}`;
  readonly terminate: `internal.${"step_error" | "template_error" | "bad_value"}` | "policy.denied";
}

/** Stands for the `raises` of a script or an agent that has none: it may raise any kind. */
export type Undeclared = "*";

/** A step of a type, and the kinds that it raises beside the engine's. */
export type Made<Type extends keyof EngineKinds, Reads, Kind extends string = never, Input = unknown> = Node<
  Input,
  Reads,
  // A group that takes any kind says nothing about those of its members.
  Exclude<NoInfer<Kind>, Undeclared> | EngineKinds[Type],
  (Undeclared extends NoInfer<Kind> ? string : NoInfer<Kind>) | EngineKinds[Type]
>;

/** Fields whose values keep their types. */
const VALUES = "body query arguments value values input_mapping details given".split(" ");

/** Makes a node of a type. What it is of is known to the compiler alone. */
export function made(type: string, given: object, more: Omit<NodeParts, "fields"> = {}): never {
  if (!isMapping(given)) throw calledWrong(`${type} takes an object with its fields, but ${shown(given)} was given`);
  const { output, ...rest } = given as { output?: AnySchema };
  const fields = Object.entries(written(rest, type) as Mapping).map(([name, value]) => [
    name,
    VALUES.includes(name) ? typedValue(value) : value,
  ]);
  const shape = output === undefined ? {} : { output: outputFields(output, `\`output\` of ${type}`) };
  return { [PARTS]: { fields: { type, ...Object.fromEntries(fields), ...shape }, ...more } } as never;
}

/** The parts of what should be a node; of a member of a group, a step. */
export function partsOf(node: unknown, name: string, isMember = false): NodeParts {
  const parts = (node as Partial<Node> | null | undefined)?.[PARTS];
  if (parts && !(isMember && (parts.members || parts.item))) return parts;
  throw calledWrong(
    parts
      ? `${name} is a group, and groups do not nest: put it into a workflow of its own, and call that`
      : `${name} is none: make it with step, agent, http, script, mcp, gate, questions, set, wait, terminate, workflow, parallel or forEach`,
  );
}

type Said = (schema: JsonSchemaLike, isRequired: boolean, where: string) => Mapping;

/** The fields of an object's schema, each as `say` says it. */
function fieldsOf(schema: AnySchema, where: string, say: Said): Mapping {
  const json = isStandardSchema(schema) ? jsonSchemaOf(schema) : schema;
  if (!isMapping(json) || !isMapping(json.properties ?? {}))
    throw calledWrong(`${where} is the schema of an object: of zod, valibot or arktype, or a JSON Schema`);
  if (isStandardSchema(schema) && json.properties === undefined)
    throw calledWrong(
      `${where} is a schema that cannot be given as JSON Schema, so its fields are not known: give one of zod or arktype, or a JSON Schema`,
    );
  const { properties = {}, required = [] } = json as JsonSchemaLike;
  const said = (name: string, one: JsonSchemaLike) => say(one, required.includes(name), `\`${name}\` of ${where}`);
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, said(name, one)]));
}

/** As `output:` of a step says them. */
const outputFields = (schema: AnySchema, where: string): Mapping =>
  fieldsOf(schema, where, (one, isRequired, place) => ({
    ...field(one, place),
    ...(isRequired ? {} : { required: false }),
  }));

/** As a workflow's inputs, which have a type each and nothing more. */
export const inputFields = (schema: AnySchema, where: string): Mapping =>
  fieldsOf(schema, where, (one, isRequired, place) => {
    const { default: initial, description, secret } = one;
    return {
      type: field(one, place).type,
      ...(isRequired || initial !== undefined ? {} : { required: false }),
      ...(initial === undefined ? {} : { default: initial }),
      ...(typeof description === "string" ? { description } : {}),
      ...(secret === true ? { secret } : {}),
    };
  });

/** Keywords that a field of a file has under the same names. */
const SAME = ["description", "pattern", "minimum", "maximum", "minLength", "maxLength"] as const;

function field(schema: JsonSchemaLike, where: string): Mapping {
  const { anyOf, enum: values, const: only, items, properties } = schema as JsonSchema;
  if (Array.isArray(anyOf)) {
    const [first, ...others] = anyOf.filter((one: JsonSchema) => one.type !== "null");
    if (first && others.length === 0)
      return { ...field(first, where), ...(anyOf.length > 1 ? { nullable: true } : {}) };
  }
  const known = only === undefined ? values : [only];
  const named = schema.type ?? typeof (Array.isArray(known) ? known[0] : undefined);
  const type = named === "integer" ? "number" : FIELD_TYPES.find((one) => one === named);
  if (type === undefined)
    throw calledWrong(
      `${where} has no single type that a workflow knows: ${FIELD_TYPES.join(", ")}. Describe it with one of these`,
    );
  return {
    type,
    ...Object.fromEntries(SAME.flatMap((key) => (says(schema[key]) ? [[key, schema[key]]] : []))),
    ...(Array.isArray(known) ? { enum: known } : {}),
    ...(isMapping(items) && Object.keys(items).length > 0 ? { items: field(items, `${where}[]`) } : {}),
    ...(isMapping(properties) ? { properties: outputFields(schema, where) } : {}),
  };
}

/** Bounds of whole numbers as such say nothing. */
const says = (value: unknown): boolean =>
  value !== undefined && !(typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
