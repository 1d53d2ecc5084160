// A workflow as the library shows it before it runs: what it is made of, what is wrong with it, its errors, picture and
// plan.

import { resolve } from "node:path";
import { calledWrong } from "../../base/errors/called-wrong.ts";
import type { Result } from "../../base/results/result.ts";
import type { HandledBy } from "../../language/analysis/error-flow.ts";
import type { RaiseSource } from "../../language/analysis/raises.ts";
import type { PlanAnswer, PlannedStep } from "../../services/drive/dry-run.ts";
import { type Definition, definitionFile, isDefinition } from "../../services/own-steps/definition.ts";
import type { ErrorsAnswer } from "../../services/workflows/describe.ts";
import type { GraphAnswer } from "../../services/workflows/graph.ts";
import type { SchemaName } from "./from-schemas.ts";
import type { Options, StoreOptions } from "./options.ts";
import { extensionsOf, givenOf, inputsOf, LOADING, sessionOf, standingWith } from "./services-of.ts";
import { type CalledAs, calledAs, shown } from "./wording.ts";
import { checkGiven, checkOptions, checkText, checkWorkflow } from "./wrong-call.ts";

export interface WorkflowInput {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
}

/** A workflow file that can be read. What it says is taken anew from the file when it runs. */
export interface Workflow {
  /** Absolute. */
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** null: it declares none, and takes any. */
  readonly inputs: readonly WorkflowInput[] | null;
  /** Steps and groups in file order. */
  readonly steps: readonly { readonly name: string; readonly type: string }[];
  /** What it was loaded with: own step types and providers, the environment. */
  readonly options: Options;
}

/**
 * Reads a workflow file and those that it calls. Rejects when the file cannot be read as a workflow at all; everything
 * else that is wrong with it is reported by `validate`.
 *
 * @example
 * const release = await loadWorkflow("release.yaml");
 * console.log(release.name, release.inputs?.map((input) => input.name));
 *
 * @deprecated Use `segno.workflows.load` of a client, which `createSegno` makes.
 */
export async function loadWorkflow(file: string, options: Options = {}): Promise<Workflow> {
  checkText(calledAs(options, "loadWorkflow"), "the path of a workflow file", file);
  await checkOptions("loadWorkflow", options);
  const [{ loadWorkflow: load }, { realFiles }] = await Promise.all([
    import("../../language/load.ts"),
    import("../../services/session/files.ts"),
  ]);
  const { cwd, env } = sessionOf(options);
  const { stepTypes, defined } = await extensionsOf(options);
  const path = resolve(cwd, file);
  const { workflow, findings } = load(path, realFiles(env, defined), stepTypes ? { stepTypes } : {});
  if (!workflow) throw new Error(findings.map(({ message }) => message).join(" ") || `${path} cannot be read`);
  const { agents, parallel, for_each, workflow: section } = workflow.definition;
  return {
    file: workflow.file,
    name: section.name,
    description: section.description ?? null,
    inputs: section.input
      ? Object.entries(section.input).map(([name, { type, required, default: initial, description }]) => ({
          name,
          type,
          required: required && initial === undefined,
          ...(description === undefined ? {} : { description }),
        }))
      : null,
    steps: [
      ...agents.map(({ name, type }) => ({ name, type: type as string })),
      ...parallel.map(({ name }) => ({ name, type: "parallel" })),
      ...for_each.map(({ name }) => ({ name, type: "for_each" })),
    ],
    options,
  };
}

/** The file of a workflow, and its options under those that are given now. */
export function asked<Given extends Options>(
  workflow: WorkflowLike,
  given: Given,
): { readonly file: string; readonly options: Given } {
  if (typeof workflow === "string") return { file: workflow, options: given };
  if (!isDefinition(workflow)) return { file: workflow.file, options: { ...workflow.options, ...given } };
  const others = (given.workflows ?? []).filter((one) => one !== workflow);
  return { file: definitionFile(workflow, given.cwd), options: { ...given, workflows: [...others, workflow] } };
}

/** A workflow: the path of a file, what `defineWorkflow` gave, or what was loaded. */
export type WorkflowLike = string | Workflow | Definition;

export interface ValidateOptions extends Options {
  /** The file is only ever called by others, so it may let errors out to them. */
  readonly asChild?: boolean;
  /** Warnings count as errors. */
  readonly strict?: boolean;
}

/**
 * Checks a workflow and the files that it calls without running anything. `status` is `valid` or `invalid`; `errors` and
 * `warnings` have a rule, a place and what to do.
 *
 * @example
 * const { success, errors } = await validate("release.yaml");
 * if (!success) for (const { message, location } of errors) console.log(location?.line, message);
 *
 * @deprecated Use `segno.workflows.validate` of a client, which `createSegno` makes.
 */
export async function validate(workflow: WorkflowLike, given: ValidateOptions = {}): Promise<Result> {
  checkWorkflow(calledAs(given, "validate"), workflow);
  await checkOptions("validate", given);
  const { asChild, strict, ...rest } = given;
  const { validateFiles } = await import("../../services/workflows/validate.ts");
  const { file, options } = asked(workflow, rest);
  const {
    files: _,
    dialect: __,
    ...result
  } = await validateFiles(
    { ...sessionOf(options), extensions: await extensionsOf(options) },
    { files: [file], asChild, strict },
  );
  return result;
}

export type { ErrorsAnswer, GraphAnswer, HandledBy, PlanAnswer, PlannedStep, RaiseSource };

export interface ErrorsOptions extends Options {
  /** An error to be expected that can leave the file is a failure: for builds. */
  readonly failOnUnhandled?: boolean;
  /** Kinds that may leave the file all the same: names, and patterns such as `internal.*`. */
  readonly allow?: readonly string[];
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
  await checkGiven("errors", options, [...LOADING, "failOnUnhandled", "allow"]);
  const { listErrors } = await import("../../services/workflows/describe.ts");
  const { file, options: all } = asked(workflow, options);
  const session = { ...sessionOf(all), extensions: await extensionsOf(all) };
  return listErrors(session, { file, ...givenOf(all, ["failOnUnhandled", "allow"]) });
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
  const { drawGraph } = await import("../../services/workflows/graph.ts");
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
  const { planRun } = await import("../../services/drive/dry-run.ts");
  const { file, options: all } = asked(workflow, options);
  const inputs = await inputsOf(all.inputs ?? {});
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
  const { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } = await import(
    "../../services/workflows/reference.ts"
  );
  if (what === "workflow") return languageSchema() as Record<string, unknown>;
  if (what === "result") return (await schemaOfResult()) as Record<string, unknown>;
  const type = NODE_TYPES.find((name) => name === what);
  if (type) return nodeSchema(type);
  throw calledWrong(
    `${calledAs(options, "schema")} takes workflow, result or a type of step or group (${NODE_TYPES.join(", ")}), not ${shown(what)}`,
  );
}
