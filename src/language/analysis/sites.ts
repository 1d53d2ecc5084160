// Every place of a file that holds a template, a condition or a reference, and what is in scope there.
import { stepTypeOf } from "../../steps/types.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import type { Route } from "../schema/index.ts";
import type { FlowNode, Nodes, StepNode } from "./nodes.ts";
import { isErrorRoute } from "./routes.ts";
import { hasChanges, looksLikeTemplate, templatedTexts, textsBelow } from "./shapes.ts";

export interface Site {
  /** The step or group whose text this is; null for the workflow's own. */
  readonly node: string | null;
  readonly path: NodePath;
  readonly source: string;
  /** `condition`: a `when`, bare or with braces. `reference`: a dotted path such as a for_each `source`. */
  readonly dialect: "template" | "condition" | "reference";
  /** What the text is for: findings differ a little by it. */
  readonly role:
    | "field"
    | "route"
    | "error route"
    | "raise_when"
    | "input"
    | "output"
    | "hook"
    | "runtime"
    | "run name";
  /** Names in scope beside steps, groups, `workflow` and `context`. */
  readonly locals: readonly string[];
  /** Whose fields a bare condition may name without a prefix. */
  readonly bare: readonly ("output" | "error")[];
  /** Whether `context.mode` narrows what is seen here. */
  readonly narrowed: boolean;
  /** Whether the node itself has run when this is read. */
  readonly afterwards: boolean;
  /** Whether what is missing is forgiven: an `input` with `?`. */
  readonly optional: boolean;
}

/** A run whose name cannot be rendered runs all the same, without one. */
export const severityAt = ({ role }: Pick<Site, "role">): "warning" | undefined =>
  role === "run name" ? "warning" : undefined;

const plain = {
  dialect: "template",
  role: "field",
  locals: [],
  bare: [],
  narrowed: false,
  afterwards: false,
  optional: false,
} as const satisfies Partial<Site>;

/** A dotted path that stands in a field of a step or group. */
const reference = (node: FlowNode, field: NodePath, source: string, locals: readonly string[]): Site => ({
  ...plain,
  node: node.name,
  path: [...node.path, ...field],
  source,
  dialect: "reference",
  locals,
});

function* fieldSites(node: StepNode, locals: readonly string[]): Generator<Site> {
  const { step, name } = node;
  for (const { seesAll, mayFail: _, ...text } of templatedTexts(step, node.path))
    yield { ...plain, ...text, node: name, locals, narrowed: !seesAll };
  if (step.type === "questions" && step.source !== undefined) yield reference(node, ["source"], step.source, locals);
  for (const [index, written] of (step.input ?? []).entries())
    yield {
      ...reference(node, ["input", index], written, locals),
      role: "input",
      optional: written.trim().endsWith("?"),
    };
}

/** Whether `error` may be the step's own here: a rule that matched after such an attempt. Its condition is read after a success, too. */
export const mayHaveOwnError = ({ role, dialect }: Pick<Site, "role" | "dialect">, type: string): boolean =>
  role === "raise_when" && dialect === "template" && stepTypeOf({ type }).finishesWithErrors === true;

function* raiseWhenSites(node: StepNode, locals: readonly string[]): Generator<Site> {
  if (!("raise_when" in node.step)) return;
  const names = [...locals, "output"];
  for (const [index, rule] of (node.step.raise_when ?? []).entries()) {
    const path: NodePath = [...node.path, "raise_when", index];
    const base = { ...plain, node: node.name, role: "raise_when", locals: names, afterwards: true } as const;
    yield { ...base, path: [...path, "when"], source: rule.when, dialect: "condition", bare: ["output"] };
    const said = mayHaveOwnError(base, node.type) ? { ...base, locals: [...names, "error"] } : base;
    yield { ...said, path: [...path, "message"], source: rule.message };
    for (const text of textsBelow(rule.details, [...path, "details"])) yield { ...said, ...text };
  }
}

function* routeSites(
  routes: readonly Route[],
  path: NodePath,
  node: string | null,
  locals: readonly string[],
): Generator<Site> {
  for (const [index, route] of routes.entries()) {
    const onError = isErrorRoute(route);
    const base = {
      ...plain,
      node,
      role: onError ? "error route" : "route",
      locals: onError ? [...locals, "output", "error"] : [...locals, "output"],
      afterwards: true,
    } as const;
    const at: NodePath = [...path, index];
    if (typeof route.when === "string")
      yield {
        ...base,
        path: [...at, "when"],
        source: route.when,
        dialect: "condition",
        bare: onError ? ["error", "output"] : ["output"],
      };
    // `halt: text` is short for `halt: {message: text}`; the nearest place serves both.
    if (route.halt) yield { ...base, path: [...at, "halt", "message"], source: route.halt.message };
    for (const text of textsBelow(route.output, [...at, "output"])) yield { ...base, ...text };
  }
}

/** Names that a step sees because it runs for an item of a for_each, as the member or in its place. */
function itemNames(node: FlowNode, nodes: Nodes, standsInFor: (name: string) => readonly string[]): readonly string[] {
  const members = [node, ...standsInFor(node.name).map((member) => nodes.get(member))];
  return members.flatMap((found) => {
    if (found?.kind !== "step") return [];
    return found.groups.flatMap((group) => {
      const owner = nodes.get(group);
      return owner?.type === "for_each" ? [owner.group.as, "_index", "_key"] : [];
    });
  });
}

/** The members for which each handler may stand in. */
function standIns(nodes: Nodes): (name: string) => readonly string[] {
  const found = new Map<string, string[]>();
  for (const node of nodes.all) {
    if (node.kind !== "step" || node.groups.length === 0) continue;
    for (const route of node.routes)
      if (isErrorRoute(route) && route.to !== undefined)
        found.set(route.to, [...(found.get(route.to) ?? []), node.name]);
  }
  return (name) => found.get(name) ?? [];
}

function* workflowSites(workflow: LoadedWorkflow): Generator<Site> {
  const { workflow: section, output } = workflow.definition;
  for (const text of textsBelow(output, ["output"])) yield { ...plain, ...text, node: null, role: "output" };
  yield* routeSites(section.error_routes ?? [], ["workflow", "error_routes"], null, []);
  const hooks = { on_start: [], on_complete: ["result"], on_error: ["error"] } as const;
  for (const [hook, locals] of Object.entries(hooks))
    for (const text of textsBelow(section.hooks?.[hook as keyof typeof hooks], ["workflow", "hooks", hook]))
      yield { ...plain, ...text, node: null, role: "hook", locals };
  if (section.run_name !== undefined)
    yield { ...plain, node: null, path: ["workflow", "run_name"], source: section.run_name, role: "run name" };
  for (const field of ["working_dir", "cell"] as const) {
    const source = section.runtime?.[field];
    if (source !== undefined)
      yield { ...plain, node: null, path: ["workflow", "runtime", field], source, role: "runtime" };
  }
}

/** Lists every site of a file. `isHandler` says for which nodes `error` is in scope; what a group sees, its members see. */
export function listSites(
  workflow: LoadedWorkflow,
  nodes: Nodes,
  isHandler: (name: string) => boolean,
): readonly Site[] {
  const sites: Site[] = [];
  const standsInFor = standIns(nodes);
  for (const node of nodes.all) {
    const isLedTo = [node.name, ...(node.kind === "step" ? node.groups : [])].some(isHandler);
    const locals = [...itemNames(node, nodes, standsInFor), ...(isLedTo ? ["error"] : [])];
    // A step of that name is the one that is meant.
    const hasOwn = node.kind === "step" && hasChanges(node, nodes, workflow);
    const own = ["changes", "denied"].filter((name) => hasOwn && !nodes.names.has(name));
    const afterwards = own.length > 0 ? [...locals, ...own] : locals;
    if (node.kind === "step") {
      sites.push(...fieldSites(node, locals), ...raiseWhenSites(node, afterwards));
    } else if (node.type === "for_each") sites.push(reference(node, ["source"], node.group.source, locals));
    sites.push(...routeSites(node.routes, [...node.path, "routes"], node.name, afterwards));
  }
  sites.push(...workflowSites(workflow));
  return sites;
}

const templated = new WeakMap<FlowNode, boolean>();

/** Whether a step has any text that is evaluated when it runs or when its routes are read, and whose failure is its own. */
export function hasTemplate(node: FlowNode): boolean {
  const known = templated.get(node) ?? findsTemplate(node);
  templated.set(node, known);
  return known;
}

function findsTemplate(node: FlowNode): boolean {
  if (node.routes.some((route) => route.when !== undefined)) return true;
  if (node.kind === "group") return true;
  if ("raise_when" in node.step && (node.step.raise_when ?? []).length > 0) return true;
  if (node.step.type === "questions" && node.step.source !== undefined) return true;
  for (const { source, mayFail } of templatedTexts(node.step, []))
    if (mayFail && looksLikeTemplate(source)) return true;
  for (const site of routeSites(node.routes, [], node.name, [])) if (looksLikeTemplate(site.source)) return true;
  return false;
}
