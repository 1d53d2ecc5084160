// What can be said of a workflow before it runs: the errors it can raise, its picture, what would run.
import type { Head, Place } from "../results/result.ts";
import { type CalledAs, calledAs } from "./called-as.ts";
import type { SchemaName } from "./from-schemas.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf, sessionOf } from "./services-of.ts";
import { shown } from "./shown.ts";
import { given, LOADING, standingOf } from "./standing.ts";
import { asked, type WorkflowLike } from "./workflow.ts";
import { checkGiven, checkWorkflow } from "./wrong-call.ts";

export interface ErrorsOptions extends Options {
  /** An error to be expected that can leave the file is a failure: for builds. */
  readonly failOnUnhandled?: boolean;
}

/**
 * `declared` and `raise_when`: the file says so; `engine`: by the step's type; `child`: a sub-workflow lets it out;
 * `route`: only a route names it.
 */
export type RaiseSource = "declared" | "raise_when" | "engine" | "child" | "any" | "route";

/** A route that takes a kind. */
export interface HandledBy {
  readonly line: number;
  readonly action: string;
  readonly to?: string;
  /** Of a route with a condition. */
  readonly when?: string;
}

export interface ErrorsAnswer extends Head {
  readonly file: string;
  readonly workflow: string | null;
  /** For each step the kinds that it may raise, and the route that takes each for certain. */
  readonly steps: readonly {
    readonly node_id: string;
    readonly type: string;
    readonly group?: string;
    readonly raises: readonly {
      readonly kind: string;
      readonly source: RaiseSource;
      /** Of a child's kind: the step that raises it, at any depth. */
      readonly raised_in?: Place;
      /** Of a group: its members may raise it, and what is not handled is listed with them. */
      readonly of_members?: true;
      readonly handled_by?: HandledBy;
      /** Routes that may act before that: retries, and routes with a condition. */
      readonly first?: readonly HandledBy[];
      /** The route that raises it to the calling workflow. */
      readonly propagated_by?: HandledBy;
      /** What `resilience` does when no route took it, before it leaves. */
      readonly resilience?: {
        readonly retries?: number;
        readonly dead_letter?: true;
        readonly escalate?: true;
        /** Of kinds that are not known: only these are tried again and kept, the rest are escalated. */
        readonly only?: readonly string[];
      };
    }[];
  }[];
  /** Kinds that can leave the file. */
  readonly unhandled: readonly {
    readonly kind: string;
    readonly node_id: string;
    readonly source: RaiseSource;
    readonly raised_in?: Place;
    readonly group?: string;
    /** In this file: the kind where the step declares it, else the step's name; the route that propagates it. */
    readonly location: Place;
  }[];
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
  const { failOnUnhandled } = all;
  return listErrors(
    { ...sessionOf(all), extensions: await extensionsOf(all) },
    {
      file,
      ...given({ failOnUnhandled }),
    },
  );
}

export interface GraphOptions extends Options, StoreOptions {
  /** `mermaid` when left out. */
  readonly format?: "mermaid" | "dot" | "svg";
  /** A run whose path is lit. */
  readonly run?: string;
  /** How many levels of sub-workflows are drawn with what is in them; when left out, as many as can be read. */
  readonly depth?: number | "all";
}

export interface GraphAnswer extends Head {
  readonly file: string;
  readonly format: "mermaid" | "dot" | "svg";
  /** The drawing; empty when there is none. */
  readonly graph: string;
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
  const { format = "mermaid", run, depth } = all;
  return drawGraph(
    { ...standingOf(all), extensions: await extensionsOf(all) },
    { file, format, ...given({ run, depth }) },
  );
}

export interface PlanOptions extends Options {
  readonly inputs?: Readonly<Record<string, unknown>>;
}

export interface PlannedStep {
  readonly node_id: string;
  readonly type: string;
  /** Fields whose templates need nothing but inputs; the others stand as written. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly routes: readonly string[];
  readonly members?: readonly PlannedStep[];
  readonly policies?: readonly string[];
}

export interface PlanAnswer extends Head {
  /** Each step that can be reached; absent when the file or the inputs are not valid. */
  readonly plan?: readonly PlannedStep[];
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
