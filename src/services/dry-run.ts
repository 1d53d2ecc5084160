// `segno run --dry-run`: what would run, and what can be rendered of it before anything has run. Nothing is executed.
import { WorkflowContext } from "../engine/context/context.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import type { Step } from "../language/schema/index.ts";
import { type Head, head } from "../results/index.ts";
import { renderValue } from "../steps/values.ts";
import { answering } from "./answering.ts";
import { prepareInputs } from "./drive/prepared-inputs.ts";
import { scenarioPart } from "./drive/scripted.ts";
import type { RunRequest } from "./request.ts";
import { validWorkflow } from "./valid-workflow.ts";

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
  readonly plan?: readonly PlannedStep[];
}

export const planRun = (request: RunRequest): Promise<PlanAnswer> =>
  answering(request, async () => {
    const scenario = await scenarioPart(request.scenario, request);
    const asked = scenario ? { ...request, env: scenario.env } : request;
    const workflow = validWorkflow(request.file, asked);
    const { inputs, redactor } = prepareInputs(workflow, { ...scenario?.inputs, ...request.inputs }, asked);
    return { ...head(0), plan: redactor.value(planOf(workflow, inputs)) as readonly PlannedStep[] };
  });

const HIDDEN: ReadonlySet<string> = new Set([
  "name",
  "type",
  "routes",
  "raises",
  "raise_when",
  "description",
  "input",
  "phase",
  "cache",
]);

function planOf(workflow: LoadedWorkflow, inputs: Readonly<Record<string, unknown>>): readonly PlannedStep[] {
  const { definition, dir, file } = workflow;
  const { name, description, entry_point, policies } = definition.workflow;
  const scope = new WorkflowContext({ input: inputs, name, description: description ?? "", dir, file }).everything;
  // A module is only named: nothing of it is loaded here.
  const asked = policies.flatMap((policy) => (policy.module === undefined ? Object.keys(policy) : [policy.module]));
  const steps = new Map(definition.agents.map((step) => [step.name, step]));
  const groups = new Map([...definition.parallel, ...definition.for_each].map((group) => [group.name, group]));

  const fieldsOf = (step: Step): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(step)
        .filter(([key, value]) => !HIDDEN.has(key) && !isEmpty(value))
        .map(([key, value]) => [key, rendered(value)]),
    );
  const rendered = (value: unknown): unknown => {
    try {
      return renderValue(value, scope, "kept");
    } catch {
      return value;
    }
  };
  const planned = (step: Step): PlannedStep => ({
    node_id: step.name,
    type: step.type,
    fields: fieldsOf(step),
    routes: ("routes" in step ? step.routes : []).map(said),
    ...(asked.length > 0 ? { policies: asked } : {}),
  });

  const plan: PlannedStep[] = [];
  const seen = new Set<string>(["$end"]);
  const queue = [entry_point];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const step = steps.get(next);
    const group = groups.get(next);
    if (step) {
      plan.push(planned(step));
      queue.push(...targetsOf(step));
    } else if (group) {
      const members = "agents" in group ? group.agents.flatMap((member) => steps.get(member) ?? []) : [group.agent];
      plan.push({
        node_id: group.name,
        type: "agents" in group ? "parallel" : "for_each",
        fields: "source" in group ? { source: group.source, as: group.as } : {},
        routes: group.routes.map(said),
        members: members.map(planned),
      });
      queue.push(...group.routes.flatMap((route) => route.to ?? []));
    }
    if (queue.length === 0)
      queue.push(...definition.workflow.error_routes.flatMap((route) => route.to ?? []).filter((to) => !seen.has(to)));
  }
  return plan;
}

/** As a graph says it. */
const kindsOf = (selector: unknown): string =>
  selector === true || selector === "*" ? "any error" : [selector].flat().join(", ");

type AnyRoute = LoadedWorkflow["definition"]["workflow"]["error_routes"][number];

const said = ({ on_error, when, to, retry, halt, propagate }: AnyRoute): string => {
  const condition = [on_error === undefined ? "" : `on ${kindsOf(on_error)}`, when ? `when ${when}` : ""]
    .filter(Boolean)
    .join(" ");
  const action = [
    retry ? `retry ${retry.max}×` : "",
    to ? `→ ${to}` : "",
    halt ? "halt" : "",
    propagate ? "propagate" : "",
  ]
    .filter(Boolean)
    .join(" ");
  return condition ? `${condition}: ${action}` : action;
};

function targetsOf(step: Step): readonly string[] {
  const routes = "routes" in step ? step.routes.flatMap((route) => route.to ?? []) : [];
  const options = step.type === "human_gate" ? step.options.flatMap((option) => option.route ?? []) : [];
  const abort = step.type === "questions" && step.abort_route ? [step.abort_route] : [];
  return [...routes, ...options, ...abort];
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);
