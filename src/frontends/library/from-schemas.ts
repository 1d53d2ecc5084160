// Types that come from schemas: what events carry, and what steps can be given in code. In the package this file is written
// out in full, with the descriptions of all fields, because its users do not have the schema library
// (scripts/build/declarations.ts).
import type { z } from "zod";
import type { Envelope } from "../../base/errors/index.ts";
import type { EventData as Payload, EventType as Type } from "../../base/events/registry.ts";
import type { Text, Value } from "../../features/typescript/library/ref.ts";
import type { forEachFrame, parallelGroup } from "../../language/schema/index.ts";
import type { workflowSection } from "../../language/schema/workflow-section.ts";
import type { route } from "../../steps/schema/fields.ts";
import type { STEP_TYPES, StepTypeName } from "../../steps/types.ts";

type Frozen<Data> = Data extends Envelope
  ? Envelope
  : Data extends readonly (infer One)[]
    ? readonly Frozen<One>[]
    : Data extends object
      ? { readonly [Name in keyof Data]: Frozen<Data[Name]> }
      : Data;

/** What each event carries. */
export type EventData = { readonly [Name in Type]: Frozen<Payload<Name>> };

/** What has a JSON Schema: whole files, results, each type of step, and the groups. */
export type SchemaName = "workflow" | "result" | StepTypeName | "parallel" | "for_each";

/** Where a file takes a text, code may also give a reference; where it takes anything, references at any depth. */
type InCode<Said> = unknown extends Said
  ? Value
  : Said extends string
    ? string extends Said
      ? Text
      : Said
    : Said extends readonly (infer One)[]
      ? readonly InCode<One>[]
      : Said extends object
        ? { readonly [Name in keyof Said]: InCode<Said[Name]> }
        : Said;

/** What code says in another way: names and routes by the builder, schemas by those of any library. */
type Elsewhere = "name" | "type" | "routes" | "raises" | "output" | "workflow" | "agents";

type Fields<Schema extends z.ZodType, Left extends string = Elsewhere> = Omit<InCode<z.input<Schema>>, Left>;
type OfStep<Name extends StepTypeName> = Fields<ReturnType<(typeof STEP_TYPES)[Name]["schema"]>>;

export type AgentFields = OfStep<"agent">;
export type ScriptFields = OfStep<"script">;
export type HttpFields = OfStep<"http">;
export type McpFields = OfStep<"mcp">;
export type SetFields = OfStep<"set">;
export type WaitFields = OfStep<"wait">;
export type HumanGateFields = OfStep<"human_gate">;
export type QuestionsFields = OfStep<"questions">;
export type WorkflowFields = OfStep<"workflow">;
export type TerminateFields = OfStep<"terminate">;
export type ParallelFields = Fields<ReturnType<typeof parallelGroup>>;
export type ForEachFields = Fields<ReturnType<typeof forEachFrame>, Elsewhere | "as" | "source">;
export type SectionFields = Fields<
  ReturnType<typeof workflowSection>,
  "name" | "entry_point" | "input" | "error_routes"
>;
export type RouteFields = Fields<typeof route, "on_error" | "when" | "to" | "halt" | "propagate">;
