// The steps of a file in file order: what a reader needs to know what never ran. Members are only under their group.
import type { Outline } from "../../events/state/state.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";

export function outlineOf({ definition, file, positions, pathOf }: LoadedWorkflow): Outline {
  const members = new Set(definition.parallel.flatMap((group) => group.agents));
  const types = new Map(definition.agents.map((step) => [step.name, step.type]));
  const line = (node: string): number => positions.at(pathOf(node)).line;
  return {
    name: definition.workflow.name,
    file,
    nodes: [
      ...definition.agents
        .filter((step) => !members.has(step.name))
        .map((step) => ({ name: step.name, type: step.type, line: line(step.name) })),
      ...definition.parallel.map((group) => ({
        name: group.name,
        type: "parallel",
        line: line(group.name),
        members: group.agents.map((name) => ({ name, type: types.get(name) ?? "agent" })),
      })),
      ...definition.for_each.map((group) => ({
        name: group.name,
        type: "for_each",
        line: line(group.name),
        item: { name: group.agent.name, type: group.agent.type },
      })),
    ],
  };
}
