// A step type is one object, built in or of a plugin: all that other rooms ask about a type, and its executor. Every command
// loads it, so `schema` is built when first called and `executor` loads `run.ts`.
import type * as z from "zod";
import type { Outcome, Raised } from "../base/errors/index.ts";
import type { JsonSchema } from "../base/errors/mapping.ts";
import type { EventType } from "../base/events/registry.ts";
import type { Loader, Scope } from "../template/index.ts";
import type { Caller, WorkflowPlace } from "./caller.ts";
import type { StepIntent } from "./intent.ts";
import type { OutputField } from "./schema/fields.ts";
import type { StepWorld } from "./world.ts";

/** All kinds that are not the engine's. */
export const ANY = "*";

export interface RaisesIn {
  /** Whether there is an exit of a script that is an error of this step. */
  readonly raisesOnExit: boolean;
  /** Whether an output that does not fit `output:` is a typed error of this step. */
  readonly raisesSchemaViolation: boolean;
  readonly hasTools: boolean;
}

/** The part of a scenario file. */
export type AnsweredBy =
  | "agent_scripts"
  | "cli_scripts"
  | "http_scripts"
  | "mcp_scripts"
  | "step_scripts"
  | "gates"
  | "questions"
  | "nothing";

export interface StepEvents {
  /** How it called and how that went: people read it, no resume does. The journal keeps them without secrets. */
  readonly onlyForReaders?: readonly EventType[];
  /** Shown one by one in the log of an attempt. */
  readonly noted?: readonly EventType[];
}

/** `Step` is a step of this type as its schema reads it. Whatever a type leaves out is as a plugin's type has it. */
export interface StepType<Step = never> {
  /** One line, for lists of types. */
  readonly description: string;
  /** Its fields; built when first asked for. */
  readonly schema: () => z.ZodObject;
  /** Loads what does its work; without it the engine carries the type out itself (`engine/work-of.ts`). */
  readonly executor?: () => Promise<Executor<Step, unknown>>;
  /** What `<step>.output` is, in words for the reference. */
  readonly output?: string;
  /** What other tools call it: suggested where a file uses such a name. */
  readonly alsoCalled?: readonly string[];

  /** Fields whose texts are templates. `*` stands for every entry; all texts at and below a field count. */
  readonly templates?: readonly string[];
  /** Those of `templates` that see every step whatever `context.mode` says, as in Conductor. */
  readonly seesAll?: readonly string[];
  /** Those of `templates` that never fail the step: what cannot be rendered is replaced, with a warning. */
  forgives?(step: Step): readonly string[];
  /** In `context.mode: explicit` it sees inputs only where `input` names them, as in Conductor. */
  readonly inputsByName?: boolean;
  /** Asks a person: `timeout` is how long they may take, and no timeout of the step. */
  readonly asksPeople?: boolean;
  /** What it may raise beside what every step may; `ANY` stands for all kinds of authors. Only that when left out. */
  raises?(step: Step, file: RaisesIn): readonly string[];
  /** An attempt may finish with an output and an error of the engine, which `raise_when` then reads. */
  readonly finishesWithErrors?: boolean;
  shape?(step: Step, childShape: (file: string) => Shape): Shape;

  /** What an attempt takes while it runs; a slot and a breaker when left out. What waits, or ends the run, takes no slot. */
  readonly occupies?: "nothing" | "breaker";
  /** What an attempt calls, as breakers name it. `values` are what its executor prepared. */
  target?(values: unknown): string | undefined;
  /** What an attempt is about to do, as policies are told. `values` are what its executor prepared. */
  intent?(values: unknown, step: Step): StepIntent;
  /** It asks the breakers itself, before each call. */
  readonly asksBreakers?: boolean;
  /** Where a scenario answers for it; in `step_scripts` when left out. `nothing`: it touches nothing outside, and is carried out. */
  readonly answeredBy?: AnsweredBy;
  readonly events?: StepEvents;

  /** Of a plugin: its fields as their author describes them, for editors. */
  readonly fields?: JsonSchema;
  /** Of a plugin: reads a step in which everything is right; nothing when the schema must be asked. */
  readonly quick?: (item: Readonly<Record<string, unknown>>) => Step | undefined;
  /** Of a plugin: another version of its code gives other outcomes. */
  readonly version?: number;
}

export type Shape =
  | { readonly kind: "unknown" }
  | { readonly kind: "list"; readonly item: Shape }
  /** `exact`: no other field can exist. Otherwise a schema lists these, and a step may still give more. */
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Shape>; readonly exact: boolean };

export const UNKNOWN: Shape = { kind: "unknown" };

export const object = (fields: Iterable<readonly [string, Shape]>, exact: boolean): Shape => ({
  kind: "object",
  fields: new Map(fields),
  exact,
});
export const onlyFields = (...names: readonly string[]): Shape =>
  object(
    names.map((name) => [name, UNKNOWN] as const),
    true,
  );

function fieldShape(field: OutputField): Shape {
  if (field.type === "object" && field.properties) return declaredFields(field.properties);
  if (field.type === "array" && field.items) return { kind: "list", item: fieldShape(field.items) };
  return UNKNOWN;
}

/** The fields that a step's own `output` lists, and those that it has anyway. */
export function declaredFields(fields: Readonly<Record<string, OutputField>>, more: readonly string[] = []): Shape {
  const listed = Object.entries(fields).map(([name, field]) => [name, fieldShape(field)] as const);
  return object([...more.map((name) => [name, UNKNOWN] as const), ...listed], false);
}

/** Two names of one provider are one provider. */
const SYNONYMS: Readonly<Record<string, string>> = { claude: "anthropic" };

export const modelTarget = (provider: string, model: string): string =>
  `model:${Object.hasOwn(SYNONYMS, provider) ? SYNONYMS[provider] : provider}/${model}`;

/** Host and port: two servers on one machine fail each for itself. */
export function httpTarget(url: string): string | undefined {
  try {
    return `http:${new URL(url).host}`;
  } catch {
    return undefined;
  }
}

export const mcpTarget = (server: string): string => `mcp:${server}`;

export type { CallBreakers, Clock, WorkflowPlace } from "./caller.ts";

/**
 * `envelope`: `{content, structured, is_error}` with the fields of `structured` beside them. `marked`: the structured content,
 * or `{content}`, with `structured` and `is_error` beside. `bare`: that without them, as in runs of 0.3.
 */
export type McpOutput = "envelope" | "marked" | "bare";

/** What templates of a step may see, and where it stands. Pure: the same scope gives the same values. */
export interface StepScope {
  /** Names for templates: workflow, context, steps, the loop variable, `error` in handlers. */
  readonly names: Scope;
  /** Every step's names whatever `context.mode` says: what gates, questions and `output_template` see. `names` if absent. */
  readonly everything?: Scope;
  readonly node: string;
  readonly workflow: WorkflowPlace;
  /** What an agent is told about raising; as in runs of 0.3 if absent. */
  readonly raising?: { readonly inPlaceOfOutput: boolean; readonly fromRaw: boolean };
  /** What the output of an `mcp` step is; as in runs of 0.3 if absent. */
  readonly mcpOutput?: McpOutput;
  /** Templates that a field of the step may take in; none unless its text came from a `!file`. */
  templates?(field: string): Loader | undefined;
}

/** What an attempt is given. */
export interface Attempt extends Caller {
  readonly world: StepWorld;
  /** Said to agents only; `whole` if absent. */
  readonly envelopes?: EnvelopesRaised;
  /** Of `mcp` steps: a tool's own error is its output, and not raised. */
  readonly keepsToolErrors?: boolean;
}

/**
 * Which error envelopes in an agent's answer are raised: none; one that is the whole answer; also one at the end of a text;
 * also one with prose after it, if it is the only JSON object of the text and stands on lines of its own.
 */
export type EnvelopesRaised = "none" | "whole" | "last" | "apart";

/** The part that every step type has: from a definition to values, which are plain data and part of the step's hash. */
export interface Preparer<Step, Prepared> {
  readonly type: string;
  /** Part of every hash: raise it when the same values would give another outcome. */
  readonly version: number;
  /** Renders templates. Throws `TemplateError` or `BadValue`; both become envelopes at the edge of the step. */
  prepare(step: Step, scope: StepScope): Prepared;
  /** The prepared values that decide the outcome; all of them when left out. */
  hashed?(prepared: Prepared): unknown;
}

/** A step type that does its work by itself. Gates, questions, sub-workflows and endings are the engine's to carry out. */
export interface Executor<Step, Prepared> extends Preparer<Step, Prepared> {
  /** Touches nothing outside: its outcome is made of its prepared values alone. */
  readonly isPure?: boolean;
  execute(prepared: Prepared, attempt: Attempt): Outcome | Promise<Outcome>;
}

/** Thrown by `prepare` for a value that the step cannot use; becomes `internal.bad_value` unless it brings its own error. */
export class BadValue extends Error {
  constructor(
    readonly field: string,
    readonly value: unknown,
    readonly expected: string,
    readonly raised?: Raised,
  ) {
    super(`${field} is ${JSON.stringify(value)?.slice(0, 200)}, but ${expected}`);
    this.name = "BadValue";
  }
}
