// Workflow files below the root as a page shows them: the list, one of them with its graph and its inputs as a form, and the
// plan of a dry run.
import { draw } from "../../graph/draw.ts";
import type { Picture } from "../../graph/picture.ts";
import { loadWorkflow } from "../../language/load.ts";
import { createRedactor, redactSourceLine, secretsFromEnvironment } from "../../redact/index.ts";
import type { Entry } from "../../results/index.ts";
import { confine, confinedFiles, confineFamily } from "../access/roots.ts";
import { Refused } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { knownTo } from "../session/extensions.ts";
import { shownPath } from "../session/shown-path.ts";
import type { CheckedFiles } from "../workflows/checked-files.ts";
import { type DescribeAnswer, type DescribedInput, describeWorkflow } from "../workflows/describe.ts";
import { type PlannedStep, planRun } from "../workflows/dry-run.ts";
import { validateFiles } from "../workflows/validate.ts";
import { listWorkflows, type WorkflowSummary } from "../workflows/workflows.ts";
import type { ListedRun, ShownRuns } from "./run-list.ts";

const LAST_RUNS = 10;

export function workflowsShown(surroundings: Surroundings, checked: CheckedFiles<WorkflowSummary>) {
  const { workflows, truncated } = listWorkflows({
    ...surroundings,
    roots: [surroundings.cwd],
    checked,
  });
  return { workflows: workflows.map(({ root: _, invalid = null, ...one }) => ({ ...one, invalid })), truncated };
}

export interface ShownWorkflow
  extends Pick<DescribeAnswer, "file" | "workflow" | "description" | "steps" | "raises" | "unhandled"> {
  readonly inputs: readonly FormField[] | null;
  readonly picture: Picture | null;
  readonly problems: readonly (Entry & { readonly severity: "error" | "warning" })[];
  readonly yaml: string;
  readonly runs: readonly ListedRun[];
}

/** An input, with the schema that a form is made from. */
export interface FormField extends DescribedInput {
  readonly schema: Readonly<Record<string, unknown>>;
}

export async function workflowShown(file: string, list: ShownRuns, surroundings: Surroundings): Promise<ShownWorkflow> {
  const { cwd, env } = surroundings;
  const allowed = confine(file, [cwd], surroundings);
  const files = confinedFiles([cwd], env);
  const text = Buffer.from(files.read(allowed.file)).toString("utf8");
  const redactor = createRedactor({ secrets: secretsFromEnvironment(env) });
  const yaml = redactor.text(text.split("\n").map(redactSourceLine).join("\n"));
  const shown = shownPath(allowed.file, cwd);
  const all = await list.page({ limit: LAST_RUNS, file: shown });
  const { errors, warnings } = validateFiles([allowed.file], surroundings);
  const problems = [
    ...errors.map((one) => ({ ...one, severity: "error" as const })),
    ...warnings.map((one) => ({ ...one, severity: "warning" as const })),
  ];
  const nothing = {
    workflow: null,
    description: null,
    inputs: null,
    steps: [],
    raises: [],
    unhandled: [],
    picture: null,
  };
  const about = { file: shown, problems, yaml, runs: all.runs };
  if (errors.length > 0) return { ...nothing, ...about };
  confineFamily(file, [cwd], surroundings);
  const described = describeWorkflow({ ...surroundings, file: allowed.file });
  const { workflow } = loadWorkflow(allowed.file, files, knownTo(surroundings.extensions));
  return {
    ...about,
    workflow: described.workflow,
    description: described.description,
    inputs: described.inputs?.map((input) => ({ ...input, schema: schemaOf(input) })) ?? null,
    steps: described.steps,
    raises: described.raises,
    unhandled: described.unhandled,
    picture: workflow ? (redactor.value(draw(workflow), { keys: "author" }) as Picture) : null,
  };
}

const TYPES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  array: "array",
  object: "object",
};

const schemaOf = ({ type, description, default: preset }: DescribedInput): FormField["schema"] => ({
  ...(TYPES[type] === undefined ? {} : { type: TYPES[type] }),
  ...(description === undefined ? {} : { description }),
  ...(preset === undefined ? {} : { default: preset }),
});

export async function planOf(
  file: string,
  inputs: Readonly<Record<string, unknown>>,
  surroundings: Surroundings,
): Promise<{ readonly plan: readonly PlannedStep[] }> {
  const allowed = confineFamily(file, [surroundings.cwd], surroundings);
  const given = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }]));
  const answer = await planRun({ ...surroundings, file: allowed.file, inputs: given });
  if (!answer.plan) throw new Refused(answer as Refused["result"]);
  return { plan: answer.plan };
}
