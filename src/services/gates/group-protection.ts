// A gate inside a group waits beside other members. Where one that fails ends the whole group, an edit of what still runs
// there could end the wait: such a group has to be as it was when the gate asked.
import { enclosingGroupKeys, isInside, stepOfKey } from "../../events/key.ts";
import { familyOf, familySources, type LoadedWorkflow } from "../../language/loaded.ts";

interface Resumed {
  /** The file as it was when a gate asked; nothing when that is not known. */
  readonly whenAsked: (gate: string) => LoadedWorkflow | undefined;
  readonly now: LoadedWorkflow;
  /** Keys of the gates that wait. */
  readonly waiting: readonly string[];
  /** Keys of all that would begin in a resume. */
  readonly begins: readonly string[];
}

/** A gate whose group has changed although something in it still runs beside the gate. */
export function changedBesideGate({ whenAsked, now, waiting, begins }: Resumed) {
  for (const gate of waiting) {
    const before = whenAsked(gate);
    for (const around of before ? enclosingGroupKeys(gate) : []) {
      const isBeside = (key: string): boolean =>
        isInside(key, around) && key !== gate && !isInside(gate, key) && !waiting.includes(key);
      const group = stepOfKey(around);
      if (begins.some(isBeside) && before && hasChanged(groupsNamed(group, before), groupsNamed(group, now)))
        return { gate, group };
    }
  }
  return undefined;
}

interface Group {
  readonly endsOnFailure: boolean;
  /** The group, its members, and all that these call. */
  readonly text: string;
}

const hasChanged = (before: readonly Group[], now: readonly Group[]): boolean =>
  now.some(({ endsOnFailure, text }) => endsOnFailure && before.every((group) => group.text !== text));

/** Each group of that name, in the file and in all that it calls. */
function groupsNamed(name: string, root: LoadedWorkflow): readonly Group[] {
  const found: Group[] = [];
  for (const workflow of familyOf(root)) {
    const { agents, for_each, parallel } = workflow.definition;
    const called = (step: (typeof agents)[number]): unknown => {
      const child = step.type === "workflow" ? workflow.children.get(step.workflow) : undefined;
      return [step, child ? [...familySources(child)] : []];
    };
    for (const { routes: _, ...group } of [...parallel, ...for_each]) {
      if (group.name !== name) continue;
      const members = "agent" in group ? [group.agent] : agents.filter((step) => group.agents.includes(step.name));
      const text = JSON.stringify([group, members.map(called)]);
      found.push({ endsOnFailure: group.failure_mode === "fail_fast", text });
    }
  }
  return found;
}
