// What several rules ask of a file: its scripts, its calls, which steps stand beside each other, and what guards a
// reference.

import type { ScriptStep } from "../../steps/script/schema.ts";
import type { Facts } from "../analysis/facts.ts";
import { flowMapOf } from "../analysis/graph.ts";
import type { Nodes, StepNode } from "../analysis/nodes.ts";
import type { Read } from "../analysis/reads.ts";
import type { Site } from "../analysis/sites.ts";
import type { LoadedWorkflow, NodePath } from "../loaded.ts";
import type { WorkflowStep } from "../schema/index.ts";
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
