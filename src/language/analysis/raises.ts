// Which kinds each step may raise: what it declares, its own `raise_when` rules, and the engine's kinds.
// It must be sound: whatever a real run can raise is in the list. `*` says that a step may raise any author's kind.
import { isEngineKind, KINDS } from "../../base/errors/index.ts";
import { ANY } from "../../steps/step-type.ts";
import { stepTypeOf } from "../../steps/types.ts";
import type { LoadedWorkflow, Location, NodePath } from "../loaded.ts";
import type { Route, Step } from "../schema/index.ts";
import { mayFailByExit, type OptingIn, optingIn, raisesSchemaViolation } from "../schema/opting-in.ts";
import type { FlowNode, Nodes, StepNode } from "./nodes.ts";
import { hasCondition, isSuccessRoute, selectorOf } from "./routes.ts";
import { hasTemplate } from "./sites.ts";

export { ANY };

/**
 * Where it is known from. `declared`, `raise_when`: the step says so; `engine`: the step's type or the engine raises it;
 * `child`: a sub-workflow lets it out. `any` goes with `*`: a script or agent without `raises` may say what it likes;
 * `route` is one of those kinds that an error route names.
 */
export type RaiseSource = "declared" | "raise_when" | "engine" | "child" | "any" | "route";

export interface Raise {
  readonly kind: string;
  readonly source: RaiseSource;
  /** Of a child's kind: the step that raises it, at any depth. */
  readonly raised_in?: Location;
}

/** What a sub-workflow lets out, and from where. */
export type ChildKinds = (child: LoadedWorkflow) => ReadonlyMap<string, Location>;

/** How a step opts in to typed errors, in whichever group it may run. */
export function optingInOf(node: StepNode, nodes: Nodes, { definition }: LoadedWorkflow): OptingIn {
  const groupRoutes = node.groups.flatMap((group) => nodes.get(group)?.routes ?? []);
  return optingIn(node.step, [...node.routes, ...groupRoutes], definition);
}

/** The kinds of `raises:`, or undefined when the step has none. */
export const declaredKinds = (step: Step): readonly string[] | undefined =>
  "raises" in step ? step.raises : undefined;

export const raiseWhenKinds = (step: Step): readonly string[] =>
  ("raise_when" in step ? (step.raise_when ?? []) : []).map((rule) => rule.kind);

/** Whether all success routes have conditions, so that none may match. */
function mayFindNoRoute(node: FlowNode): boolean {
  if (node.kind === "step" && node.groups.length > 0) return false;
  if (node.kind === "step" && node.step.type === "human_gate" && node.step.options.every((option) => option.route))
    return false;
  const routes = node.routes.filter(isSuccessRoute);
  return routes.length > 0 && routes.every(hasCondition);
}

/** What its type may raise, as that says. */
function kindsOfType({ step }: StepNode, { definition }: LoadedWorkflow, optingIn: OptingIn): readonly string[] {
  const servers = definition.workflow.runtime?.mcp_servers ?? {};
  const hasTools = Object.keys(servers).length > 0 || (definition.tools ?? []).length > 0;
  const raisesOnExit = mayFailByExit(optingIn);
  const raisesSchema = raisesSchemaViolation(optingIn);
  return stepTypeOf(step).raises?.(step, { raisesOnExit, raisesSchemaViolation: raisesSchema, hasTools }) ?? [ANY];
}

const hasTimeout = (step: Step): boolean =>
  !stepTypeOf(step).asksPeople && "timeout" in step && step.timeout !== undefined;

/** The engine kinds of one step, without those that a child lets through. */
function engineKinds(node: StepNode, file: GovernedBy, ofType: readonly string[]): readonly string[] {
  const { step } = node;
  const kinds = ["internal.step_error"];
  if (mayDeny(file.denials, step)) kinds.push("policy.denied");
  if (hasTemplate(node) || readsInputs(step, file.workflow))
    kinds.push("internal.template_error", "internal.bad_value");
  if (mayFindNoRoute(node)) kinds.push("internal.no_route");
  if (hasTimeout(step)) kinds.push("internal.timeout");
  kinds.push(...ofType.filter((kind) => kind !== ANY));
  if (file.stepBreaker) kinds.push("circuit.open");
  return kinds;
}

/** In explicit mode a required `input` that is not there is an error of the step. */
const readsInputs = (step: Step, workflow: LoadedWorkflow): boolean =>
  workflow.definition.workflow.context?.mode === "explicit" &&
  (step.input ?? []).some((written) => !written.trim().endsWith("?"));

/** What crosses from a child into the calling step, given the step's own `raises`. */
function fromChild(step: Step, workflow: LoadedWorkflow, childKinds: ChildKinds): readonly Raise[] {
  if (step.type !== "workflow") return [];
  const child = workflow.children.get(step.workflow);
  // One that did not load may raise anything.
  const crossing: readonly Raise[] = child
    ? [...childKinds(child)].map(([kind, raised_in]) => ({ kind, source: "child", raised_in }))
    : [ANY, ...KINDS.keys()].filter((kind) => kind !== "halt.intentional").map((kind) => ({ kind, source: "child" }));
  const { raises } = step;
  // An author's kind that `raises` does not list arrives as internal.undeclared_kind, which is on the step already.
  return raises
    ? crossing.filter(({ kind }) => kind !== ANY && (isEngineKind(kind) || raises.includes(kind)))
    : crossing;
}

/** The kinds that one step may raise, each once, with the most telling source. */
export function stepRaises(node: StepNode, nodes: Nodes, file: GovernedBy, childKinds: ChildKinds): readonly Raise[] {
  const found = new Map<string, Raise>();
  const add = (source: RaiseSource, kinds: readonly string[]): void => {
    for (const kind of kinds) if (!found.has(kind)) found.set(kind, { kind, source });
  };
  const declared = declaredKinds(node.step);
  // An engine kind is not the step's to raise; whether the engine raises it there is said below.
  const authors = (kinds: readonly string[]): readonly string[] => kinds.filter((kind) => !KINDS.has(kind));
  add("declared", authors(declared ?? []));
  add("raise_when", authors(raiseWhenKinds(node.step)));
  const ofType = kindsOfType(node, file.workflow, optingInOf(node, nodes, file.workflow));
  if (declared === undefined && ofType.includes(ANY)) add("any", [ANY]);
  add("engine", engineKinds(node, file, ofType));
  // Of a step that may raise anything and says what it raises: all else arrives as this.
  if (declared !== undefined && ofType.includes(ANY)) add("engine", ["internal.undeclared_kind"]);
  for (const raise of fromChild(node.step, file.workflow, childKinds))
    if (!found.has(raise.kind)) found.set(raise.kind, raise);
  return [...found.values()];
}

/** Where a node says that it raises a kind; its name, where it does not say so. */
export function writtenAt({ kind, source }: Raise, node: FlowNode): NodePath {
  const step = node.kind === "step" ? node.step : undefined;
  if (step && source === "declared") return [...node.path, "raises", declaredKinds(step)?.indexOf(kind) ?? 0];
  if (step && source === "raise_when") return [...node.path, "raise_when", raiseWhenKinds(step).indexOf(kind), "kind"];
  return [...node.path, "name"];
}

/** What a group raises of its own, beside what its members do. */
export function groupRaises(node: FlowNode, { denials }: GovernedBy): readonly Raise[] {
  const kinds = denials.any ? ["policy.denied"] : [];
  if (node.type === "for_each" || node.routes.some((route) => hasCondition(route) || route.output !== undefined))
    kinds.push("internal.template_error");
  if (node.type === "for_each") kinds.push("internal.bad_value");
  if (mayFindNoRoute(node)) kinds.push("internal.no_route");
  return kinds.map((kind) => ({ kind, source: "engine" }));
}

/** Whether a node can raise something beside a defect of the engine or a policy's refusal. */
export function canRaise(node: FlowNode, nodes: Nodes, workflow: LoadedWorkflow): boolean {
  if (node.kind === "group" || node.type === "workflow") return true;
  if ((workflow.definition.workflow.policies ?? []).length > 0) return true;
  const always = new Set(["internal.step_error", "policy.denied"]);
  return stepRaises(node, nodes, governed(workflow), () => new Map()).some(({ kind }) => !always.has(kind));
}

/** The kinds and prefixes that error routes name one by one. */
function wordsIn(routes: readonly Route[]): readonly string[] {
  return routes.flatMap((route) => {
    const selector = selectorOf(route);
    return Array.isArray(selector) ? selector : typeof selector === "string" && selector !== ANY ? [selector] : [];
  });
}

/** What is named of an engine's kinds is known without a route, but for a denial: a caller may bring policies along. */
const isNews = (word: string): boolean => word !== ANY && (!isEngineKind(word) || word === "policy.denied");

/**
 * Kinds that nothing but a route names. A script without `raises` may raise anything; what its author wrote a route for
 * is what he expects of it, and worth a line of its own. What a node raises, with what only the routes that are read
 * for it name.
 */
export function withRouteKinds(raises: readonly Raise[], routes: readonly Route[]): readonly Raise[] {
  const known = new Set(raises.map(({ kind }) => kind));
  const isFree = known.has(ANY);
  const more: Raise[] = [];
  for (const kind of wordsIn(routes)) {
    if (known.has(kind) || !isNews(kind) || !(isFree || kind === "policy.denied")) continue;
    known.add(kind);
    more.push({ kind, source: "route" });
  }
  return more.length > 0 ? [...raises, ...more] : raises;
}

export interface GovernedBy {
  readonly workflow: LoadedWorkflow;
  /** What its policies, and those of its callers, can deny. */
  readonly denials: Denials;
  /** Whether a breaker of scope `step` guards its steps. */
  readonly stepBreaker: boolean;
}

export interface Denials {
  /** Some policy may deny any step and any group. */
  readonly any: boolean;
  /** A step with a timeout above this many seconds is denied. */
  readonly longest?: number;
  /** A step of another phase may be denied. */
  readonly phases: boolean;
}

/** Whether a policy can deny this very step. */
function mayDeny({ any, longest, phases }: Denials, step: Step): boolean {
  if (any) return true;
  if (phases && "phase" in step && step.phase !== undefined) return true;
  // How long a person may take is no timeout of a task.
  if (longest === undefined || stepTypeOf(step).asksPeople) return false;
  const timeout = "timeout" in step ? step.timeout : undefined;
  return timeout !== undefined && !(timeout > 0 && timeout <= longest);
}

function denialsOf(workflow: LoadedWorkflow, caller: Denials | undefined): Denials {
  const policies = workflow.definition.workflow.policies ?? [];
  const limits = [
    ...policies.flatMap(({ task_timeout }) => task_timeout?.max_seconds ?? []),
    ...maybe(caller?.longest),
  ];
  return {
    any:
      caller?.any === true ||
      policies.some(
        ({ task_timeout, phase_gate, max_concurrent_tasks }) =>
          !task_timeout && !phase_gate && !(max_concurrent_tasks && max_concurrent_tasks.max >= 1),
      ),
    ...(limits.length > 0 ? { longest: Math.min(...limits) } : {}),
    phases: caller?.phases === true || policies.some(({ phase_gate }) => phase_gate !== undefined),
  };
}

const maybe = (value: number | undefined): readonly number[] => (value === undefined ? [] : [value]);

const known = new WeakMap<LoadedWorkflow, Map<string, GovernedBy>>();

/** A file as it runs below a caller, or by itself. The same circumstances give the same object. */
export function governed(workflow: LoadedWorkflow, caller?: GovernedBy): GovernedBy {
  const { resilience } = workflow.definition.workflow;
  const denials = denialsOf(workflow, caller?.denials);
  const stepBreaker = resilience ? resilience.circuit_breaker?.scope === "step" : (caller?.stepBreaker ?? false);
  const forms = known.get(workflow) ?? new Map<string, GovernedBy>();
  known.set(workflow, forms);
  const key = JSON.stringify([denials, stepBreaker]);
  const form = forms.get(key) ?? { workflow, denials, stepBreaker };
  forms.set(key, form);
  return form;
}
