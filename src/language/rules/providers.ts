// Every provider that a file names, with its place.
import type { NodePath } from "../loaded.ts";
import type { RuleContext } from "./rule.ts";

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
