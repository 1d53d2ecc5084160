// The steps of the language, in code. Their fields have the names of workflow files; texts may be references.
import type { Mapping } from "../../errors/mapping.ts";
import { DEFINED, type Definition } from "../../services/defined/definition.ts";
import type { Typed } from "../client/typed-files.ts";
import type {
  AgentFields,
  ForEachFields,
  HttpFields,
  HumanGateFields,
  McpFields,
  ParallelFields,
  QuestionsFields,
  ScriptFields,
  SetFields,
  TerminateFields,
  WaitFields,
  WorkflowFields,
} from "../from-schemas.ts";
import type { Declared, EngineKinds, Undeclared } from "./kinds.ts";
import { type Ended, type ListRef, type Node, type NodeParts, PARTS, type StepRead } from "./node.ts";
import { pathOf, type Ref, type Resolved, ref, typedValue, type Value, written } from "./ref.ts";
import { type AnySchema, type Kept, outputFields } from "./schemas.ts";

type Made<Type extends keyof EngineKinds, Output, Kind extends string = never> = Node<
  unknown,
  StepRead<Output>,
  // A group that takes any kind says nothing about those of its members.
  Exclude<NoInfer<Kind>, Undeclared> | EngineKinds[Type],
  Declared<NoInfer<Kind>> | Exclude<NoInfer<Kind>, Undeclared> | EngineKinds[Type]
>;

/** Errors of its own that a step raises: those that it lists, and those of its rules. */
interface Raising<Kind extends string, Ruled extends string> {
  /** The kinds of error that this step may raise; routes and results know them by their types. */
  readonly raises?: readonly Kind[];
  readonly raise_when?: readonly { readonly kind: Ruled }[];
}

interface Giving<Schema> {
  /** The shape of the step's output: a schema of zod, valibot or arktype, or a JSON Schema. */
  readonly output?: Schema;
}

/** Fields whose values keep their types. */
const VALUES: ReadonlySet<string> = new Set([
  "body",
  "query",
  "arguments",
  "value",
  "values",
  "input_mapping",
  "details",
]);

/** @internal */
export function made(type: string, given: object, more: Omit<NodeParts, "fields"> = {}): never {
  const { output, ...rest } = given as { output?: AnySchema };
  const fields = Object.entries(written(rest, type) as Mapping).map(([name, value]) => [
    name,
    VALUES.has(name) ? typedValue(value) : value,
  ]);
  const shape = output === undefined ? {} : { output: outputFields(output, `\`output\` of ${type}`) };
  // What a node is of is known to the compiler alone.
  return { [PARTS]: { fields: { type, ...Object.fromEntries(fields), ...shape }, ...more } } as never;
}

type Fields<Base, Kind extends string, Ruled extends string, Schema> = Base & Raising<Kind, Ruled> & Giving<Schema>;

/** Asks a model. */
export const agent = <
  const Schema extends AnySchema = JsonUnknown,
  const Kind extends string = Undeclared,
  const Ruled extends string = never,
>(
  fields: Fields<AgentFields, Kind, Ruled, Schema>,
): Made<"agent", Kept<Schema>, Kind | Ruled> => made("agent", fields);

/** A schema that says nothing. */
type JsonUnknown = Readonly<Record<never, never>>;

interface ScriptOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
}

/** Runs a command, without a shell. */
export const script = <
  const Schema extends AnySchema = JsonUnknown,
  const Kind extends string = Undeclared,
  const Ruled extends string = never,
>(
  fields: Fields<ScriptFields, Kind, Ruled, Schema>,
): Made<"script", Over<ScriptOutput, Kept<Schema>>, Kind | Ruled> => made("script", fields);

/** Fields that every step of a type has, and those of its schema. */
type Over<Always, Said> = unknown extends Said ? Always : Omit<Always, keyof Said> & Said;

interface HttpOutput {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly response_time: number;
}

/** Sends one HTTP request. `output` is the shape of all that it gives: `status`, `headers`, `body` and `response_time`. */
export const http = <
  const Schema extends AnySchema = JsonUnknown,
  const Kind extends string = never,
  const Ruled extends string = never,
>(
  fields: Fields<HttpFields, Kind, Ruled, Schema>,
): Made<"http", Over<HttpOutput, Kept<Schema>>, Kind | Ruled> => made("http", fields);

/** Calls one tool of an MCP server, without a model. */
export const mcp = <
  const Schema extends AnySchema = JsonUnknown,
  const Kind extends string = never,
  const Ruled extends string = never,
>(
  fields: Fields<McpFields, Kind, Ruled, Schema>,
): Made<"mcp", Kept<Schema>, Kind | Ruled> => made("mcp", fields);

/** Computes values from references and templates. */
export const set = <const Values extends Readonly<Record<string, Value>>, const Ruled extends string = never>(
  values: Values,
  fields: Omit<SetFields, "value" | "values" | "output_type"> & Pick<Raising<never, Ruled>, "raise_when"> = {},
): Made<"set", Resolved<Values>, Ruled> => made("set", { ...fields, values });

/** Lets time pass, and survives a restart while it does. */
export const wait = (
  duration: WaitFields["duration"],
  fields: Omit<WaitFields, "duration"> = {},
): Made<"wait", { readonly waited_seconds: number }> => made("wait", { duration, ...fields });

interface GateOutput<Choice> {
  readonly selected: Choice;
  readonly choice: Choice;
  readonly additional_input: Readonly<Record<string, string>>;
}

type GateOption = Omit<HumanGateFields["options"][number], "route" | "value" | "name">;

/** Asks a person to choose. `options` are what can be chosen, by value; `gate.chose("yes").to(…)` leads on. */
export const gate = <const Options extends Readonly<Record<string, string | GateOption>>>(
  fields: Omit<HumanGateFields, "options"> & { readonly options: Options },
): Node<
  unknown,
  StepRead<GateOutput<keyof Options & string>>,
  EngineKinds["human_gate"],
  EngineKinds["human_gate"],
  keyof Options & string
> => {
  const options = Object.entries(fields.options).map(([value, option]) => ({
    value,
    ...(typeof option === "string" ? { label: option } : option),
  }));
  return made("human_gate", { ...fields, options });
};

/** Asks a person a list of questions. */
export const questions = (
  fields: Omit<QuestionsFields, "source" | "abort_route"> & { readonly source?: ListRef<unknown> },
): Made<"questions", { readonly answers: Readonly<Record<string, string>>; readonly outcome: string }> =>
  made("questions", { ...fields, ...(fields.source === undefined ? {} : { source: pathOf(fields.source) }) });

/** Ends its workflow at once. What it gives with `status: "success"` is one of the workflow's outputs. */
export const terminate = <
  const Status extends TerminateFields["status"],
  const Template extends Readonly<Record<string, Value>> = Readonly<Record<string, Value>>,
>(
  fields: TerminateFields & { readonly status: Status; readonly output_template?: Template },
): Node<
  unknown,
  Ended<Status extends "success" ? (string extends keyof Template ? unknown : Resolved<Template>) : never>,
  EngineKinds["terminate"],
  EngineKinds["terminate"]
> => made("terminate", fields);

type InputsFor<Inputs> = { readonly [Name in keyof Inputs]: Inputs[Name] | Ref<Inputs[Name]> | Text };
type Text = string;

/**
 * Runs another workflow as one step: a definition, whose inputs, output and errors it knows, or the path of a file.
 * As in `.step("package", ({ steps }) => workflow(packaging, { version: steps.plan.output.version }))`.
 */
export function workflow<Inputs extends object, Output, Kind extends string>(
  child: Definition & Typed<Inputs, Output, Kind>,
  ...given: Record<never, never> extends Inputs
    ? [inputs?: InputsFor<Inputs>, fields?: Omit<WorkflowFields, "input_mapping">]
    : [inputs: InputsFor<Inputs>, fields?: Omit<WorkflowFields, "input_mapping">]
): Made<"workflow", Output, Kind>;
export function workflow<const Kind extends string = Undeclared, const Schema extends AnySchema = JsonUnknown>(
  file: string,
  inputs?: Readonly<Record<string, Value>>,
  fields?: Fields<Omit<WorkflowFields, "input_mapping">, Kind, never, Schema>,
): Made<"workflow", Kept<Schema>, Kind>;
export function workflow(child: string | Definition, inputs?: object, fields: object = {}): never {
  const mapped = inputs ? { input_mapping: inputs } : {};
  if (typeof child === "string") return made("workflow", { workflow: child, ...mapped, ...fields });
  return made("workflow", { workflow: `#${child[DEFINED].name}`, ...mapped, ...fields }, { child });
}

type ReadsOf<Of> = Of extends Node<never, infer Reads> ? Reads : never;
type OutputOf<Of> = ReadsOf<Of> extends StepRead<infer Output> ? Output : never;
type KindOf<Of> = Of extends Node<never, unknown, infer Kind> ? Kind : never;
type LeavesOf<Of> = Of extends Node<never, unknown, string, infer Leaves> ? Leaves : never;

interface GroupRead<Outputs> {
  readonly outputs: Outputs;
  readonly errors: Readonly<Record<string, { readonly kind: string; readonly message: string }>>;
  readonly count: number;
  readonly failed: number;
  readonly succeeded: number;
}

type GroupKind = "internal.template_error" | "internal.bad_value" | "internal.no_route";

/**
 * Steps that run at the same time. They are read through the group: `steps.checks.outputs.lint.stdout`.
 * As in `.step("checks", parallel({ lint: script({ … }), test: script({ … }) }, { failure_mode: "all_or_nothing" }))`.
 */
export const parallel = <Input, const Members extends Readonly<Record<string, Node<Input>>>>(
  members: Members & Readonly<Record<string, Node<Input>>>,
  fields: ParallelFields = {},
): Node<
  Input,
  GroupRead<{ readonly [Name in keyof Members]: OutputOf<Members[Name]> }>,
  KindOf<Members[keyof Members]> | GroupKind,
  LeavesOf<Members[keyof Members]> | GroupKind
> => {
  const { type: _, ...parts } = (made("parallel", fields) as Node)[PARTS].fields;
  return { [PARTS]: { fields: parts, members } } as never;
};

/**
 * One step for each item of a list. `item` is a reference to the item.
 * As in `.step("parse_all", ({ steps }) => forEach(steps.find.output.files, ({ item }) => script({ command: "parse", args: [item] })))`.
 */
export const forEach = <Input, Item, Step extends Node<Input>>(
  list: ListRef<Item>,
  step: (names: { readonly item: Ref<Item> }) => Step & Node<Input>,
  fields: ForEachFields = {},
): Node<Input, GroupRead<readonly OutputOf<Step>[]>, KindOf<Step> | GroupKind, LeavesOf<Step> | GroupKind> => {
  const source = pathOf(list);
  if (source === undefined)
    throw new TypeError("forEach takes a reference to a list, such as steps.find.output.files or input.files");
  const parts = (made("for_each", fields) as Node)[PARTS].fields;
  return {
    [PARTS]: { fields: { ...parts, source, as: "item" }, item: step({ item: ref("item") as Ref<Item> }) },
  } as never;
};
