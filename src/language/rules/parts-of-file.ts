// What several rules ask of a file: its scripts, calls, routes, providers and coding agents, which steps stand beside
// each other, and what guards a reference.

import { isMapping } from "../../base/errors/mapping.ts";
import type { Facts, Read } from "../analysis/facts.ts";
import { flowMapOf } from "../analysis/graph.ts";
import type { FlowNode, Nodes, StepNode } from "../analysis/nodes.ts";
import type { Site } from "../analysis/sites.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import type { AgentStep, ProviderFields, Route, Step } from "../schema/index.ts";
import { CODING_PROVIDERS } from "../schema/names.ts";
import type { RuleContext } from "./rule.ts";

// What the guards of a text say about other steps. `{% if reviewer is defined %}` also tells that whatever must run
// before the reviewer has run. Which branch a read stands in is not known here, so guards count for their whole text.

/** The steps and groups that a text reads under a guard. */
export function guardedNames(reads: readonly Read[], facts: Facts): (site: Site) => readonly string[] {
  const found = new Map<Site, Set<string>>();
  for (const { site, path, guarded, needsRoot } of reads) {
    const [root] = path;
    if (!guarded || needsRoot || typeof root !== "string" || !facts.nodes.names.has(root)) continue;
    const names = found.get(site) ?? new Set<string>();
    found.set(site, names.add(root));
  }
  return (site) => [...(found.get(site) ?? [])];
}

/** Whether one of the guarded steps can only have run after `name`. */
export const isImplied = (name: string, guarded: readonly string[], facts: Facts): boolean =>
  guarded.some((other) => other !== name && facts.graph.reachable.has(other) && facts.graph.needs(other, name));

/** Who runs beside whom in a group. The group that runs both steps at the same time, if there is one. */
export function shareGroup(nodes: Nodes, a: string, b: string): string | undefined {
  const first = nodes.get(a);
  const second = nodes.get(b);
  if (a === b || first?.kind !== "step" || second?.kind !== "step") return undefined;
  return first.groups.find((group) => second.groups.includes(group));
}

// Every step of a file that calls another file, and the file it calls when that loaded.

export function* callsOf(workflow: LoadedWorkflow) {
  for (const node of stepNodes({ facts: flowMapOf(workflow) }, "workflow")) {
    const child = workflow.children.get(node.step.workflow);
    if (child) yield { node, step: node.step, child };
  }
}

/** Whether something was wrong in the file at or below a path, or around it: what stands there is not the author's. */
export const isStoodIn = ({ standIns }: Pick<LoadedWorkflow, "standIns">, path: NodePath): boolean =>
  standIns.some((at) => at.slice(0, path.length).every((key, index) => path[index] === key));

export type NodeOf<Type extends Step["type"]> = StepNode & { readonly step: Extract<Step, { readonly type: Type }> };

/** The steps of some types, inline ones included. */
export const stepNodes = <Type extends Step["type"]>(
  { facts }: FactsOf,
  ...types: readonly Type[]
): readonly NodeOf<Type>[] =>
  facts.nodes.all.filter(
    (node): node is NodeOf<Type> => node.kind === "step" && types.some((type) => type === node.step.type),
  );

type FactsOf = { readonly facts: Pick<Facts, "nodes"> };

/** Every provider that a file names, with its place. */
export function* providers(context: RuleContext): Generator<Placed> {
  const runtime = context.workflow.definition.workflow.runtime?.provider?.name;
  if (runtime !== undefined) yield { name: runtime, path: ["workflow", "runtime", "provider"] };
  for (const { step, path, name } of stepNodes(context, "agent"))
    if (step.provider) yield { name: step.provider.name, path: [...path, "provider"], node: name };
}

/** A name in the file, with its place and the step that has it. */
export interface Placed {
  readonly name: string;
  readonly path: NodePath;
  readonly node?: string | undefined;
}

export interface PlacedRoute {
  readonly route: Route;
  readonly path: NodePath;
  /** The step or group it belongs to, and its name; undefined for the workflow's `error_routes`. */
  readonly node: FlowNode | undefined;
  readonly name: string | undefined;
}

/** Many rules go through all routes, so they are gathered once for each file. */
const gathered = new WeakMap<Facts, readonly (readonly PlacedRoute[])[]>();

/** Every route of a file: those of each step and group as a list, and the workflow's `error_routes`. */
export function routeLists({ workflow, facts }: RuleContext): readonly (readonly PlacedRoute[])[] {
  const known = gathered.get(facts);
  if (known) return known;
  const placed = (routes: readonly Route[], path: NodePath, node?: FlowNode): readonly PlacedRoute[] =>
    routes.map((route, index) => ({ route, path: [...path, index], node, name: node?.name }));
  const lists = [
    ...facts.nodes.all.map((node) => placed(node.routes, [...node.path, "routes"], node)),
    placed(workflow.definition.workflow.error_routes ?? [], ["workflow", "error_routes"]),
  ];
  gathered.set(facts, lists);
  return lists;
}

export const eachRoute = (context: RuleContext): readonly PlacedRoute[] => routeLists(context).flat();

/** Routes below one of their list that takes everything, with the line of that one. */
export function* shadowedRoutes(
  context: RuleContext,
  isLike: (route: Route) => boolean,
  takesAll: (route: Route) => boolean,
): Generator<{ readonly placed: PlacedRoute; readonly line: number }> {
  for (const list of routeLists(context)) {
    const alike = list.filter(({ route }) => isLike(route));
    const last = alike.findIndex(({ route }) => takesAll(route));
    const taker = alike[last];
    if (!taker) continue;
    const { line } = context.workflow.positions.at(taker.path);
    for (const placed of alike.slice(last + 1)) yield { placed, line };
  }
}

export interface CodingStep {
  readonly node: StepNode;
  readonly step: AgentStep;
  readonly provider: string;
  /** The step's, over the file's. */
  readonly settings: ProviderFields;
  readonly sandbox: "read-only" | "workspace" | "full";
  readonly allow: readonly string[];
  readonly network: boolean;
  readonly ask: "deny" | "gate";
  /** As written; empty: the workflow's own folder. */
  readonly workingDir: string;
}

export function* codingSteps(context: RuleContext): Generator<CodingStep> {
  const { workflow } = context;
  const { runtime } = workflow.definition.workflow;
  for (const node of stepNodes(context, "agent")) {
    const { step } = node;
    const ofFile = isProviderWritten(workflow.raw) ? runtime?.provider : undefined;
    const asked: ProviderFields | undefined = step.provider ?? ofFile;
    if (!asked || !CODING_PROVIDERS.includes(asked.name)) continue;
    const about: ProviderFields =
      asked.name === ofFile?.name ? { ...ofFile, ...step.provider, name: asked.name } : asked;
    yield {
      node,
      step,
      provider: asked.name,
      settings: about,
      sandbox: (typeof step.sandbox === "string" ? step.sandbox : about.sandbox) ?? "workspace",
      allow: step.allow ?? about.allow ?? [],
      network: step.network ?? about.network ?? false,
      ask: step.ask ?? about.ask ?? "deny",
      workingDir: step.working_dir ?? runtime?.working_dir ?? "",
    };
  }
}

/** A file that names no provider is mostly run with another than the default. */
function isProviderWritten(raw: unknown): boolean {
  const section = isMapping(raw) ? raw.workflow : undefined;
  const runtime = isMapping(section) ? section.runtime : undefined;
  return isMapping(runtime) && runtime.provider !== undefined;
}
