// The step that raised what a letter keeps: a letter of a sub-workflow, or of a group, is about what was raised inside.
import type { LetterBody } from "../../engine/guard/resilience/dead-letter.ts";
import { callerOfSlot, slotOfFrame } from "../../events/key.ts";
import { nodeId } from "../../graph/run-ids.ts";
import type { Letter } from "../../hosts/shared-state.ts";

/** With its sub-workflows before it and without their items, as lists of errors name it: `regions/push`. */
export function stepThatRaised({ body, node }: Pick<Letter, "body" | "node">): string {
  const { path = [], group, item_key, envelope } = body as unknown as Partial<LetterBody>;
  if (!envelope) return nodeId(path, node);
  const [caller, ...inner] = [...envelope.propagated].reverse().map((frame) => callerOfSlot(slotOfFrame(frame)));
  if (caller === undefined) return nodeId(path, envelope.raised_at.node);
  const own = item_key === undefined ? node : (group ?? node);
  return nodeId([...path, own, ...inner], envelope.raised_at.node);
}
