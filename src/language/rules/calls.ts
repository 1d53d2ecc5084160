// Every step of a file that calls another file, and the file it calls when that loaded.
import { flowMapOf } from "../analysis/flow-map.ts";
import type { StepNode } from "../analysis/nodes.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import type { WorkflowStep } from "../schema/index.ts";

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
