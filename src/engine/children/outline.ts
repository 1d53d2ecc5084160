// The steps of a file in file order: what a reader needs to know what never ran. Members are only under their group.
import type { Outline, OutlineNode } from "../../base/events/state/state.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";

export function outlineOf({ definition, file, positions, pathOf }: LoadedWorkflow): Outline {
  const members = new Set(definition.parallel.flatMap((group) => group.agents));
  const types = new Map(definition.agents.map((step) => [step.name, step.type]));
  const node = (name: string, type: string, inside: Partial<OutlineNode> = {}): OutlineNode => ({
    name,
    type,
    line: positions.at(pathOf(name)).line,
    ...inside,
  });
  return {
    name: definition.workflow.name,
    file,
    nodes: [
      ...definition.agents.filter(({ name }) => !members.has(name)).map(({ name, type }) => node(name, type)),
      ...definition.parallel.map(({ name, agents }) =>
        node(name, "parallel", { members: agents.map((name) => ({ name, type: types.get(name) ?? "agent" })) }),
      ),
      ...definition.for_each.map(({ name, agent }) =>
        node(name, "for_each", { item: { name: agent.name, type: agent.type } }),
      ),
    ],
  };
}
