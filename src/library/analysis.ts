// What can be said of a workflow before it runs: the errors it can raise, its picture, what would run.
import type { HandledBy } from "../language/analysis/error-flow.ts";
import type { RaiseSource } from "../language/analysis/raises.ts";
import type { PlanAnswer, PlannedStep } from "../services/workflows/dry-run.ts";
import type { ErrorsAnswer } from "../services/workflows/errors.ts";
import type { GraphAnswer } from "../services/workflows/graph.ts";
import { type CalledAs, calledAs } from "./called-as.ts";
import type { SchemaName } from "./from-schemas.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf, sessionOf } from "./services-of.ts";
import { shown } from "./shown.ts";
import { givenOf, LOADING, standingWith } from "./standing.ts";
import { asked, type WorkflowLike } from "./workflow.ts";
import { checkGiven, checkWorkflow } from "./wrong-call.ts";

export type { ErrorsAnswer, GraphAnswer, HandledBy, PlanAnswer, PlannedStep, RaiseSource };

export interface ErrorsOptions extends Options {
  /** An error to be expected that can leave the file is a failure: for builds. */
  readonly failOnUnhandled?: boolean;
}

/**
 * Says which errors each step of a workflow can raise, which route takes each, and which leave the file.
 *
 * @example
 * const { unhandled } = await errors("release.yaml");
 * for (const { node_id, kind } of unhandled) console.log(`${node_id} can end the run with ${kind}`);
 *
 * @deprecated Use `segno.workflows.errors` of a client, which `createSegno` makes.
 */
export async function errors(workflow: WorkflowLike, options: ErrorsOptions = {}): Promise<ErrorsAnswer> {
  checkWorkflow(calledAs(options, "errors"), workflow);
  await checkGiven("errors", options, [...LOADING, "failOnUnhandled"]);
  const { listErrors } = await import("../services/workflows/errors.ts");
  const { file, options: all } = asked(workflow, options);
  const session = { ...sessionOf(all), extensions: await extensionsOf(all) };
  return listErrors(session, { file, ...givenOf(all, ["failOnUnhandled"]) });
}

export interface GraphOptions extends Options, StoreOptions {
  /** `mermaid` when left out. */
  readonly format?: "mermaid" | "dot" | "svg";
  /** A run whose path is lit. */
  readonly run?: string;
  /** How many levels of sub-workflows are drawn with what is in them; when left out, as many as can be read. */
  readonly depth?: number | "all";
}

/**
 * Draws a workflow with its success and error routes, and with `run` the path that the run took.
 *
 * @example
 * const { graph: picture } = await graph("release.yaml", { format: "svg" });
 * console.log(picture.length);
 *
 * @deprecated Use `segno.workflows.graph` of a client, which `createSegno` makes.
 */
export async function graph(workflow: WorkflowLike, options: GraphOptions = {}): Promise<GraphAnswer> {
  checkWorkflow(calledAs(options, "graph"), workflow);
  await checkGiven("graph", options, [...LOADING, "store", "format", "run", "depth"]);
  const { drawGraph } = await import("../services/workflows/graph.ts");
  const { file, options: all } = asked(workflow, options);
  const { format = "mermaid" } = all;
  return drawGraph(await standingWith(all), { file, format, ...givenOf(all, ["run", "depth"]) });
}

export interface PlanOptions extends Options {
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/**
 * Says what would run, with what can be rendered before anything has run. Nothing is executed.
 *
 * @example
 * const { plan: steps = [] } = await plan("release.yaml", { inputs: { version: "1.2.0" } });
 * for (const { node_id, fields } of steps) console.log(node_id, fields.command);
 *
 * @deprecated Use `segno.workflows.plan` of a client, which `createSegno` makes.
 */
export async function plan(workflow: WorkflowLike, options: PlanOptions = {}): Promise<PlanAnswer> {
  checkWorkflow(calledAs(options, "plan"), workflow);
  await checkGiven("plan", options, [...LOADING, "inputs"]);
  const { planRun } = await import("../services/workflows/dry-run.ts");
  const { file, options: all } = asked(workflow, options);
  const inputs = Object.fromEntries(Object.entries(all.inputs ?? {}).map(([name, value]) => [name, { value }]));
  return planRun({ ...sessionOf(all), extensions: await extensionsOf(all) }, { file, inputs });
}

/**
 * The JSON Schema of workflow files, of results, or of one type of step or group.
 *
 * @example
 * const step = await schema("http");
 * console.log(Object.keys(step.properties as object));
 *
 * @deprecated Use `segno.workflows.schema` of a client, which `createSegno` makes.
 */
export async function schema(
  what: SchemaName = "workflow",
  options: CalledAs = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } = await import("../services/workflows/schema.ts");
  if (what === "workflow") return languageSchema() as Record<string, unknown>;
  if (what === "result") return (await schemaOfResult()) as Record<string, unknown>;
  const type = NODE_TYPES.find((name) => name === what);
  if (type) return nodeSchema(type);
  throw new TypeError(
    `${calledAs(options, "schema")} takes workflow, result or a type of step or group (${NODE_TYPES.join(", ")}), not ${shown(what)}`,
  );
}
