// A workflow as the library shows it: what can be said of a file before it runs.
import { resolve } from "node:path";
import type { Result } from "../results/result.ts";
import { type Definition, definitionFile, isDefinition } from "../services/defined/definition.ts";
import { calledAs } from "./called-as.ts";
import type { Options } from "./options.ts";
import { extensionsOf, sessionOf } from "./services-of.ts";
import { checkOptions, checkText, checkWorkflow } from "./wrong-call.ts";

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
    import("../language/load.ts"),
    import("../services/session/files.ts"),
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
  const { validateFiles } = await import("../services/workflows/validate.ts");
  const { file, options } = asked(workflow, rest);
  const { files: _, ...result } = await validateFiles(
    { ...sessionOf(options), extensions: await extensionsOf(options) },
    { files: [file], asChild, strict },
  );
  return result;
}
