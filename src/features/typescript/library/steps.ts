// The steps of the language, in code, and functions of the program as steps. Fields have the names of workflow files. A
// function that has ended is not called again by a resume: it is known by its name, its version and its inputs.

import { createHash } from "node:crypto";
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import { type Details, succeeded } from "../../../base/errors/index.ts";
import type { Typed } from "../../../frontends/library/client/typed-files.ts";
import type * as Of from "../../../frontends/library/from-schemas.ts";
import { outcomeOf, RaisedInStep } from "../../../frontends/library/outcome-of.ts";
import type { AnySchema, Flat, JsonSchemaLike, Kept } from "../../../frontends/library/standard-schema.ts";
import { shown } from "../../../frontends/library/wording.ts";
import type { Definition, StepFunction } from "../../../services/own-steps/definition.ts";
import { DEFINED, FUNCTION, isDefinition } from "../../../services/own-steps/definition.ts";
import type { StepAttempt } from "../../../services/own-steps/own-step.ts";
import type { Ended, EngineKinds, GateRead, Made, Node, StepRead, Texts, Undeclared } from "./node.ts";
import { made, partsOf } from "./node.ts";
import { type ListRef, pathOf, type Ref, type Resolved, ref, type Value, written } from "./ref.ts";

interface Fields<Kind extends string, Ruled extends string, Schema> {
  /** The kinds of error that this step may raise; routes and results know them by their types. */
  readonly raises?: readonly Kind[];
  readonly raise_when?: readonly { readonly kind: Ruled }[];
  /** The shape of the step's output: a schema of zod, valibot or arktype, or a JSON Schema. */
  readonly output?: Schema;
}

/** Fields that every step of a type has, and those of its schema. */
type Over<Always, Said> = unknown extends Said ? Always : Flat<Omit<Always, keyof Said> & Said>;

/** Makes steps of a type, which always give `Always`, and raise `Otherwise` when they do not say what they raise. */
type Maker<Type extends keyof EngineKinds, Base, Always = unknown, Otherwise extends string = never> = <
  const Schema extends AnySchema = JsonSchemaLike,
  const Kind extends string = Otherwise,
  const Ruled extends string = never,
>(
  fields: Base & Fields<Kind, Ruled, Schema>,
) => Made<Type, StepRead<Over<Always, Kept<Schema>>>, Kind | Ruled>;

/** Asks a model. */
export const agent: Maker<"agent", Of.AgentFields, unknown, Undeclared> = (fields) => made("agent", fields);

type ScriptOutput = Readonly<{ stdout: string; stderr: string; exit_code: number }>;

/** Runs a command, without a shell. */
export const script: Maker<"script", Of.ScriptFields, ScriptOutput, Undeclared> = (fields) => made("script", fields);

type HttpOutput = Readonly<{ status: number; headers: Texts; body: unknown; response_time: number }>;

/** Sends one HTTP request. `output` is the shape of all that it gives: `status`, `headers`, `body` and `response_time`. */
export const http: Maker<"http", Of.HttpFields, HttpOutput> = (fields) => made("http", fields);

/** Calls one tool of an MCP server, without a model. */
export const mcp: Maker<"mcp", Of.McpFields> = (fields) => made("mcp", fields);

/** Computes values from references and templates. */
export const set = <const Values extends Readonly<Record<string, Value>>, const Ruled extends string = never>(
  values: Values,
  fields: Omit<Of.SetFields, "value" | "values" | "output_type"> & Pick<Fields<never, Ruled, never>, "raise_when"> = {},
): Made<"set", StepRead<Resolved<Values>>, Ruled> => made("set", { ...fields, values });

/** Lets time pass, and survives a restart while it does. */
export const wait = (
  duration: Of.WaitFields["duration"],
  fields: Omit<Of.WaitFields, "duration"> = {},
): Made<"wait", StepRead<{ readonly waited_seconds: number }>> => made("wait", { duration, ...fields });

type GateOption = Omit<Of.HumanGateFields["options"][number], "route" | "value" | "name">;

/** Asks a person to choose. `options` are what can be chosen, by value; `gate.chose("yes").to(…)` leads on. */
export const gate = <const Options extends Readonly<Record<string, string | GateOption>>>(
  fields: Omit<Of.HumanGateFields, "options"> & { readonly options: Options },
): Made<"human_gate", GateRead<keyof Options & string>> => {
  const options = Object.entries(fields?.options ?? {}).map(([value, option]) => ({
    value,
    ...(typeof option === "string" ? { label: option } : option),
  }));
  return made("human_gate", { ...fields, options });
};

/** Asks a person a list of questions. */
export const questions = (
  fields: Omit<Of.QuestionsFields, "source" | "abort_route"> & { readonly source?: ListRef<unknown> },
): Made<"questions", StepRead<{ readonly answers: Texts; readonly outcome: string }>> =>
  made("questions", { ...fields, ...(fields?.source === undefined ? {} : { source: pathOf(fields.source) }) });

/** Ends its workflow at once. What it gives with `status: "success"` is one of the workflow's outputs. */
export const terminate = <
  const Status extends Of.TerminateFields["status"],
  const Template extends Readonly<Record<string, Value>> = Readonly<Record<string, Value>>,
>(
  fields: Of.TerminateFields & { readonly status: Status; readonly output_template?: Template },
): Made<
  "terminate",
  Ended<Status extends "success" ? (string extends keyof Template ? unknown : Resolved<Template>) : never>
> => made("terminate", fields);

type InputsFor<Inputs> = { readonly [Name in keyof Inputs]: Inputs[Name] | Ref<Inputs[Name]> | string };
type CallFields = Omit<Of.WorkflowFields, "input_mapping">;

/**
 * Runs another workflow as one step: a definition, whose inputs, output and errors it knows, or the path of a file.
 * As in `.step("package", ({ steps }) => workflow(packaging, { version: steps.plan.output.version }))`.
 */
export function workflow<Inputs extends object, Output, Kind extends string>(
  child: Definition & Typed<Inputs, Output, Kind>,
  ...given: Record<never, never> extends Inputs
    ? [inputs?: InputsFor<Inputs>, fields?: CallFields]
    : [inputs: InputsFor<Inputs>, fields?: CallFields]
): Made<"workflow", StepRead<Output>, Kind>;
export function workflow<const Kind extends string = Undeclared, const Schema extends AnySchema = JsonSchemaLike>(
  file: string,
  inputs?: Readonly<Record<string, Value>>,
  fields?: CallFields & Fields<Kind, never, Schema>,
): Made<"workflow", StepRead<Kept<Schema>>, Kind>;
export function workflow(child: string | Definition, inputs?: object, fields: object = {}): never {
  const mapped = { ...(inputs ? { input_mapping: inputs } : {}), ...fields };
  if (typeof child === "string") return made("workflow", { workflow: child, ...mapped });
  if (isDefinition(child)) return made("workflow", { workflow: `#${child[DEFINED].name}`, ...mapped }, { child });
  throw calledWrong(`workflow takes what defineWorkflow gave, or the path of a file, but ${shown(child)} was given`);
}

type OutputOf<One> = One extends Node<never, StepRead<infer Output>> ? Output : never;
type KindOf<One> = GroupKind | (One extends Node<never, unknown, infer Kind> ? Kind : never);
type LeavesOf<One> = GroupKind | (One extends Node<never, unknown, string, infer Leaves> ? Leaves : never);

interface GroupRead<Outputs> {
  readonly outputs: Outputs;
  readonly errors: Readonly<Record<string, { readonly kind: string; readonly message: string }>>;
  readonly count: number;
  readonly failed: number;
  readonly succeeded: number;
}

type GroupKind = `internal.${"template_error" | "bad_value" | "no_route"}`;
type Group<Input, Outputs, Member> = Node<Input, GroupRead<Outputs>, KindOf<Member>, LeavesOf<Member>>;

/**
 * Steps that run at the same time. They are read through the group: `steps.checks.outputs.lint.stdout`.
 * As in `.step("checks", parallel({ lint: script({ … }), test: script({ … }) }, { failure_mode: "all_or_nothing" }))`.
 */
export const parallel = <Input, const Members extends Readonly<Record<string, Node<Input>>>>(
  members: Members & Readonly<Record<string, Node<Input>>>,
  fields: Of.ParallelFields = {},
): Group<Input, { readonly [Name in keyof Members]: OutputOf<Members[Name]> }, Members[keyof Members]> => {
  for (const [name, member] of Object.entries(members ?? {})) partsOf(member, `the step ${name} of parallel`, true);
  return made("parallel", fields, { members });
};

/**
 * One step for each item of a list. `item` is a reference to the item.
 * As in `.step("parse_all", ({ steps }) => forEach(steps.find.output.files, ({ item }) => script({ command: "parse", args: [item] })))`.
 */
export const forEach = <Input, Item, Step extends Node<Input>>(
  list: ListRef<Item>,
  step: (names: { readonly item: Ref<Item> }) => Step & Node<Input>,
  fields: Of.ForEachFields = {},
): Group<Input, readonly OutputOf<Step>[], Step> => {
  const source = pathOf(list);
  if (source === undefined || typeof step !== "function")
    throw calledWrong(
      "forEach takes a reference to a list, such as steps.find.output.files or input.files, and a function that gives the step",
    );
  const item = step({ item: ref("item") as Ref<Item> });
  partsOf(item, "the step of forEach", true);
  return made("for_each", { ...fields, source, as: "item" }, { item });
};

/** What a function step is given. */
export interface FunctionCall<Input, Kind extends string = string>
  extends Pick<StepAttempt, "attempt" | "idempotencyKey" | "signal" | "clock" | "workflow"> {
  /** The inputs of the step, or of the workflow. */
  readonly input: Input;
  /** Ends the step with an error of one of the kinds that it lists in `raises`. */
  readonly raise: (kind: Kind, message: string, details?: Details) => never;
}

interface FunctionFields<Kind extends string>
  extends Pick<Of.ScriptFields, "description" | "timeout" | "cache" | "phase"> {
  /** The kinds of error that it raises. */
  readonly raises?: readonly Kind[];
  /** Raise it when the same inputs would give another output: results of before are not reused then. 1 when left out. */
  readonly version?: number | string;
  /** Its code counts as well: whatever changes in it, a resume runs the step again. */
  readonly hash?: boolean;
}

type Run<Input, Output, Kind extends string> = (call: FunctionCall<Input, Kind>) => Output | PromiseLike<Output>;

type WithInput<Given = unknown, Called = Run<unknown, unknown, string>> = Readonly<{ input: Given; run: Called }>;
type FunctionNode<Input, Output, Kind extends string> = Made<"function", StepRead<Output>, Kind, Input>;

/**
 * A step that is a function. Given alone, it gets the workflow's inputs; with `input`, what that comes to.
 * As in `.step("build", step(async ({ input, signal }) => compile(input.version, signal), { raises: ["build.broken"] }))` and
 * `.step("sign", ({ steps }) => step({ input: { file: steps.build.output.file }, run: ({ input }) => sign(input.file) }))`.
 */
export function step<Input, Output, const Kind extends string = never>(
  run: Run<Input, Output, Kind>,
  fields?: FunctionFields<Kind>,
): FunctionNode<Input, Output, Kind>;
export function step<const Given extends Value, Output, const Kind extends string = never>(
  fields: FunctionFields<Kind> & WithInput<Given, Run<Resolved<Given>, Output, Kind>>,
): FunctionNode<unknown, Output, Kind>;
export function step(given: unknown, more?: object): never {
  const isAlone = typeof given === "function";
  const all = { ...(isAlone ? { run: given } : (given as object)), ...more } as FunctionFields<string> & WithInput;
  const { run, input, hash, raises = [], ...fields } = all;
  if (typeof run !== "function") throw calledWrong("step takes a function, or an object with `run` and `input`");
  const code = hash ? { code: createHash("sha256").update(String(run)).digest("hex") } : {};
  const inputs = isAlone ? {} : { given: written(input, "`input` of step") };
  return made(FUNCTION, { ...fields, raises, ...code, ...inputs }, { run: calling(run), takesInput: isAlone });
}

/**
 * Raises a typed error from a function step.
 *
 * @example
 * import { raise } from "segno/workflow";
 * const response = await fetch("https://registry.example.com/");
 * if (!response.ok) raise("registry.refused", `the registry said ${response.status}`, { status: response.status });
 */
export function raise(kind: string, message: string, details?: Details): never {
  throw new RaisedInStep(kind, message, details);
}

const calling =
  (run: Run<unknown, unknown, string>): StepFunction =>
  (given, { node, attempt, idempotencyKey, signal, clock, workflow }) => {
    const call = { input: given ?? {}, attempt, idempotencyKey, signal, clock, workflow, raise };
    return outcomeOf(
      `the function of the step ${node}`,
      node,
      () => run(call),
      (output) => succeeded(output ?? null),
    );
  };
