// `segno run --dry-run`: what would run, and what can be rendered of it before anything has run. Nothing is executed.

import { unlessItThrows } from "../../base/errors/mapping.ts";
import { type Head, head } from "../../base/results/index.ts";
import { splitSecrets } from "../../engine/children/inputs.ts";
import { WorkflowContext } from "../../engine/context/context.ts";
import { retryText } from "../../graph/label.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Step, WorkflowStep } from "../../language/schema/index.ts";
import type { StepScope } from "../../steps/step-type.ts";
import { renderValue } from "../../steps/values.ts";
import { prepareCall } from "../../steps/workflow/prepare.ts";
import type { Context } from "../../template/index.ts";
import { withRefusals } from "../refusals.ts";
import type { RunRequest } from "../request.ts";
import { filesOf } from "../session/files.ts";
import { textsOf } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { prepareInputs } from "./given-inputs.ts";
import { scenarioPart } from "./setup.ts";

export type { PlannedStep };

export interface PlanAnswer extends Head {
  /** Each step that can be reached; absent when the file or the inputs are not valid. */
  readonly plan?: readonly PlannedStep[];
}

export const planRun = (given: Session, request: RunRequest): Promise<PlanAnswer> =>
  withRefusals(given, async (session) => {
    const scenario = await scenarioPart(request.scenario, session, request.strict);
    const asked = scenario ? { ...session, env: scenario.env } : session;
    const files = filesOf(asked);
    const workflow = validWorkflow(request.file, asked, {}, scenario?.edited(files) ?? files);
    const { inputs, redactor } = prepareInputs(workflow, { ...scenario?.inputs, ...request.inputs }, asked);
    const family = new FamilyPlan();
    const plan = family.stepsOf(workflow, inputs);
    // What only a sub-workflow calls a secret is one in the plan of its caller too.
    for (const secret of textsOf(family.secrets)) redactor.learn(secret, "secret input");
    return session.exit.answer({ ...head(0), plan }, { hidesNames: true });
  });

// The steps that a run can reach, with those of its sub-workflows, and what can be rendered of them before anything has run.

interface PlannedStep {
  readonly node_id: string;
  readonly type: string;
  /** Fields whose templates need nothing but inputs; the others stand as written. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly routes: readonly string[];
  readonly members?: readonly PlannedStep[];
  /** Of a sub-workflow: what its file would run. */
  readonly steps?: readonly PlannedStep[];
  /** Instead of `steps`, where another call lists the same: the names of the steps that lead there, as `deploy/notify`; empty for the root. */
  readonly steps_under?: string;
  readonly policies?: readonly string[];
}

type Inputs = Readonly<Record<string, unknown>>;

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

/** A plan with more steps lists those of each file once, whatever inputs it is called with. */
const MANY = 1000;

/** Where a file is called from: the steps that lead there, the files on the way, and the policies that hold already. */
interface Call {
  readonly way: readonly string[];
  readonly files: readonly LoadedWorkflow[];
  readonly policies: readonly string[];
}

const ROOT: Call = { way: [], files: [], policies: [] };

/** A file and all that it calls. The same file with the same inputs is listed once. */
class FamilyPlan {
  /** What sub-workflows declare as secret among what they would be given. */
  readonly secrets: unknown[] = [];
  readonly #listed = new Map<string, string>();
  readonly #files = new Map<LoadedWorkflow, string>();
  #count = 0;

  stepsOf(workflow: LoadedWorkflow, inputs: Inputs, call: Call = ROOT): readonly PlannedStep[] {
    const { definition, dir, file } = workflow;
    const { name, description } = definition.workflow;
    const scope = new WorkflowContext({ input: inputs, name, description: description ?? "", dir, file }).everything;
    const here: Call = {
      way: call.way,
      files: [...call.files, workflow],
      policies: [...new Set([...call.policies, ...policiesOf(workflow)])],
    };
    const asked = here.policies.length > 0 ? here.policies : undefined;
    const planned = (step: Step, way: readonly string[]): PlannedStep => {
      this.#count += 1;
      const isCall = step.type === "workflow";
      return {
        node_id: step.name,
        type: step.type,
        fields: Object.fromEntries(
          Object.entries(step)
            .filter(([key, value]) => !HIDDEN.has(key) && !isAmongRoutes(step, key) && !isEmpty(value))
            .map(([key, value]) => [key, unlessItThrows(() => renderValue(value, scope, "kept"), undefined) ?? value]),
        ),
        routes: routesSaid(step),
        ...(isCall ? this.#childOf(workflow, step, { inputs, scope }, { ...here, way }) : {}),
        policies: asked,
      };
    };
    return reachable(workflow).map((node) => {
      const way = [...call.way, node.name];
      if (!("members" in node)) return planned(node.step, way);
      const { name: node_id, type, fields, routes } = node;
      const members = node.members.map((one) => planned(one, [...way, one.name]));
      return { node_id, type, fields, routes, members, policies: asked };
    });
  }

  #childOf(
    caller: LoadedWorkflow,
    step: WorkflowStep,
    { inputs, scope }: { readonly inputs: Inputs; readonly scope: Context },
    call: Call,
  ): Pick<PlannedStep, "steps" | "steps_under"> {
    const child = caller.children.get(step.workflow);
    if (!child) return {};
    const known = knownInputs(child, step, inputs, scope);
    this.secrets.push(splitSecrets(child, known).secrets);
    const key = JSON.stringify([child.file, Object.entries(known).sort(), call.policies]);
    const isListed = call.files.includes(child) || this.#count > MANY;
    const under = this.#listed.get(key) ?? (isListed ? (this.#files.get(child) ?? "") : undefined);
    if (under !== undefined) return { steps_under: under };
    const way = call.way.join("/");
    this.#listed.set(key, way);
    if (!this.#files.has(child)) this.#files.set(child, way);
    return { steps: this.stepsOf(child, known, call) };
  }
}

/** A module is only named: nothing of it is loaded here. */
const policiesOf = ({ definition }: LoadedWorkflow): readonly string[] =>
  definition.workflow.policies.flatMap((policy) =>
    policy.module === undefined ? Object.keys(policy) : [policy.module],
  );

const isAmongRoutes = ({ type }: Step, key: string): boolean =>
  (type === "human_gate" && key === "options") || (type === "questions" && key === "abort_route");

/** The inputs of a sub-workflow that are known before anything has run: what is passed on, and what it declares itself. */
function knownInputs(child: LoadedWorkflow, step: WorkflowStep, inputs: Inputs, scope: Context): Inputs {
  const declared = child.definition.workflow.input;
  const given = step.input_mapping ? Object.keys(step.input_mapping) : Object.keys(inputs);
  const known: Record<string, unknown> = {};
  for (const name of given.filter((one) => !declared || Object.hasOwn(declared, one)))
    if (!step.input_mapping) known[name] = inputs[name];
    else
      try {
        const one = { ...step, input_mapping: { [name]: step.input_mapping[name] } };
        known[name] = prepareCall(one, { names: scope } as StepScope, declared ?? {}).inputs?.[name];
      } catch {
        // It needs the output of a step: templates that read it stand as written.
      }
  for (const [name, field] of Object.entries(declared ?? {}))
    if (!given.includes(name) && field.default !== undefined && field.default !== null) known[name] = field.default;
  return known;
}

type Reachable =
  | { readonly name: string; readonly step: Step }
  | (Pick<PlannedStep, "type" | "fields" | "routes"> & { readonly name: string; readonly members: readonly Step[] });

/** Breadth first from the entry point; what only the file's own error routes lead to comes last. */
function reachable({ definition }: LoadedWorkflow): readonly Reachable[] {
  const { entry_point, error_routes } = definition.workflow;
  const steps = new Map(definition.agents.map((step) => [step.name, step]));
  const groups = new Map([...definition.parallel, ...definition.for_each].map((group) => [group.name, group]));
  const found: Reachable[] = [];
  const seen = new Set<string>(["$end"]);
  const queue = [entry_point];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const step = steps.get(next);
    const group = groups.get(next);
    if (step) {
      found.push({ name: next, step });
      queue.push(...targetsOf(step));
    } else if (group) {
      found.push({
        name: next,
        type: "agents" in group ? "parallel" : "for_each",
        fields: "source" in group ? { source: group.source, as: group.as } : {},
        routes: routesSaid(group),
        members: "agents" in group ? group.agents.flatMap((member) => steps.get(member) ?? []) : [group.agent],
      });
      queue.push(...targetsOf(group));
    }
    if (queue.length === 0)
      queue.push(...error_routes.flatMap((route) => route.to ?? []).filter((to) => !seen.has(to)));
  }
  return found;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** As a graph says it. */
const kindsOf = (selector: unknown): string =>
  selector === true || selector === "*" ? "any error" : [selector].flat().join(", ");

type AnyRoute = LoadedWorkflow["definition"]["workflow"]["error_routes"][number];

const words = (...all: readonly (string | false | undefined)[]): string => all.filter(Boolean).join(" ");

const said = ({ on_error, when, to, retry, halt, propagate }: AnyRoute): string => {
  const condition = words(on_error !== undefined && `on ${kindsOf(on_error)}`, when && `when ${when}`);
  const action = words(retry && retryText(retry), to && `→ ${to}`, halt && "halt", propagate && "propagate");
  return condition ? `${condition}: ${action}` : action;
};

type Routed = Step | { readonly routes: readonly AnyRoute[] };

const routesOf = (node: Routed): readonly AnyRoute[] => ("routes" in node ? node.routes : []);
const optionsOf = (node: Routed) => ("type" in node && node.type === "human_gate" ? node.options : []);
const abortOf = (node: Routed): readonly string[] =>
  "type" in node && node.type === "questions" && node.abort_route ? [node.abort_route] : [];

/** Answers without a route of their own follow the gate's routes. */
const routesSaid = (node: Routed): readonly string[] => [
  ...optionsOf(node).map(({ value, route }) => `answer ${value}${route ? `: → ${route}` : ""}`),
  ...abortOf(node).map((to) => `aborted: → ${to}`),
  ...routesOf(node).map(said),
];

const targetsOf = (node: Routed): readonly string[] => [
  ...routesOf(node).flatMap((route) => route.to ?? []),
  ...optionsOf(node).flatMap(({ route }) => route ?? []),
  ...abortOf(node),
];
