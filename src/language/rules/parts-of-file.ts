// What several rules ask of a file: its scripts, calls, routes, providers and coding agents, which steps stand beside
// each other, and what guards a reference.
// reference.

import { isMapping } from "../../errors/mapping.ts";
import type { ScriptStep } from "../../steps/script/schema.ts";
import type { Facts, Read } from "../analysis/facts.ts";
import { flowMapOf } from "../analysis/graph.ts";
import type { FlowNode, Nodes, StepNode } from "../analysis/nodes.ts";
import type { Site } from "../analysis/sites.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import type { AgentStep, ProviderFields, Route, WorkflowStep } from "../schema/index.ts";
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

export interface CallSite {
  readonly node: StepNode;
  readonly step: WorkflowStep;
  readonly child: LoadedWorkflow;
}

export function* callsOf(workflow: LoadedWorkflow): Generator<CallSite> {
  const { nodes } = flowMapOf(workflow);
  for (const node of nodes.all) {
    if (node.kind !== "step" || node.step.type !== "workflow") continue;
    const child = workflow.children.get(node.step.workflow);
    if (child) yield { node, step: node.step, child };
  }
}

/** Whether something was wrong in the file at or below a path, or around it: what stands there is not the author's. */
export const isStoodIn = ({ standIns }: Pick<LoadedWorkflow, "standIns">, path: NodePath): boolean =>
  standIns.some((at) => at.slice(0, path.length).every((key, index) => path[index] === key));

// The script steps of a file, inline ones included.

export type ScriptNode = StepNode & { readonly step: ScriptStep };

const isScript = (node: { readonly kind: string; readonly type: string }): node is ScriptNode =>
  node.kind === "step" && node.type === "script";

export const scriptsOf = ({ facts }: RuleContext): readonly ScriptNode[] => facts.nodes.all.filter(isScript);

/** Every provider that a file names, with its place. */
export function* providers({
  workflow,
  facts,
}: RuleContext): Generator<{ readonly name: string; readonly path: NodePath; readonly node?: string }> {
  const runtime = workflow.definition.workflow.runtime?.provider?.name;
  if (runtime !== undefined) yield { name: runtime, path: ["workflow", "runtime", "provider"] };
  for (const node of facts.nodes.all)
    if (node.kind === "step" && node.step.type === "agent" && node.step.provider)
      yield { name: node.step.provider.name, path: [...node.path, "provider"], node: node.name };
}

export interface PlacedRoute {
  readonly route: Route;
  readonly path: NodePath;
  /** The step or group it belongs to; undefined for the workflow's `error_routes`. */
  readonly node: FlowNode | undefined;
}

export interface RouteList {
  readonly node: FlowNode | undefined;
  readonly routes: readonly PlacedRoute[];
}

interface FileRoutes {
  readonly lists: readonly RouteList[];
  readonly all: readonly PlacedRoute[];
}

/** Many rules go through all routes, so they are gathered once for each file. */
const gathered = new WeakMap<Facts, FileRoutes>();

function routesOf({ workflow, facts }: RuleContext): FileRoutes {
  const known = gathered.get(facts);
  if (known) return known;
  const placed = (routes: readonly Route[], path: NodePath, node: FlowNode | undefined): RouteList => ({
    node,
    routes: routes.map((route, index) => ({ route, path: [...path, index], node })),
  });
  const lists = [
    ...facts.nodes.all.map((node) => placed(node.routes, [...node.path, "routes"], node)),
    placed(workflow.definition.workflow.error_routes ?? [], ["workflow", "error_routes"], undefined),
  ];
  const routes: FileRoutes = { lists, all: lists.flatMap(({ routes: own }) => own) };
  gathered.set(facts, routes);
  return routes;
}

/** The lists of routes of a file, each as one list. */
export const routeLists = (context: RuleContext): readonly RouteList[] => routesOf(context).lists;

export const eachRoute = (context: RuleContext): readonly PlacedRoute[] => routesOf(context).all;

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

export function* codingSteps({ workflow, facts }: RuleContext): Generator<CodingStep> {
  const { runtime } = workflow.definition.workflow;
  for (const node of facts.nodes.all) {
    if (node.kind !== "step" || node.step.type !== "agent") continue;
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
