// From a finding to the node of the picture that it is about, and from a node of the picture to its line in a file.
import { isMapping } from "../../errors/mapping.ts";
import { gatherFacts } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, Location } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";

export interface PlacedFinding {
  readonly node_id: string | null;
  /** The steps that lead to its file. */
  readonly via?: readonly string[];
  readonly line: number;
}

/** The picture's id: `package/verify`. Nothing where it is about no step. */
export function nodeOfFinding(root: LoadedWorkflow, { node_id, via = [], line }: PlacedFinding): string | undefined {
  const slots: string[] = [];
  let workflow: LoadedWorkflow | undefined = root;
  for (const name of via) {
    const group: string | undefined = workflow?.definition.for_each.find(({ agent }) => agent.name === name)?.name;
    slots.push(group ?? name);
    workflow = workflow && calledBy(workflow, slots.at(-1) ?? "");
  }
  const node = node_id ?? (workflow && nodeAtLine(workflow, line));
  return node === undefined ? undefined : [...slots, node].join("/");
}

/** The last node that begins above, unless another section of the file does. */
function nodeAtLine(workflow: LoadedWorkflow, line: number): string | undefined {
  const { file, raw, positions } = workflow;
  const { nodes } = gatherFacts(workflow);
  const begins = nodes.all.flatMap(({ name, path }) => {
    const at = positions.at(path);
    return at.file === file && at.line <= line ? [{ name, line: at.line }] : [];
  });
  const found = begins.reduce<(typeof begins)[number] | undefined>(
    (last, one) => (last && last.line > one.line ? last : one),
    undefined,
  );
  const sections = Object.keys(isMapping(raw) ? raw : {}).map((name) => positions.key([name]).line);
  return found && !sections.some((one) => one > found.line && one <= line) ? found.name : undefined;
}

export function placeOfNode(root: LoadedWorkflow, id: string): Location | undefined {
  const slots = id.split("/");
  const name = slots.pop() ?? "";
  let workflow: LoadedWorkflow | undefined = root;
  for (const slot of slots) workflow = workflow && calledBy(workflow, slot);
  if (!workflow || !gatherFacts(workflow).nodes.names.has(name)) return undefined;
  return workflow.positions.at([...workflow.pathOf(name), "name"]);
}

/** The sub-workflow of a step, or of the items of a for_each. */
function calledBy({ definition, children }: LoadedWorkflow, slot: string): LoadedWorkflow | undefined {
  const { agents, for_each } = definition;
  const step: Step | undefined =
    for_each.find(({ name }) => name === slot)?.agent ?? agents.find(({ name }) => name === slot);
  return step?.type === "workflow" ? children.get(step.workflow) : undefined;
}
