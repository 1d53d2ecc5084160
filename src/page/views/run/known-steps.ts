// All steps that a run has come to or could come to, as the address names them.
import type { FrameState, RunState } from "../../../events/state.ts";
import type { NodeShape, Picture } from "../../../graph/picture.ts";
import { stepText } from "../../state/step-address.ts";

export interface KnownStep {
  readonly text: string;
  readonly kind: string | null;
}

export function stepsOf({ root }: RunState): readonly KnownStep[] {
  const found: KnownStep[] = [];
  const walk = (frame: FrameState, path: readonly string[]): void => {
    for (const { name, error, group } of frame.nodes.values()) {
      found.push({ text: stepText({ path, node: name }), kind: error?.kind ?? null });
      if (group?.kind === "parallel")
        for (const member of group.members.values())
          found.push({ text: stepText({ path, node: member.name }), kind: member.error?.kind ?? null });
    }
    for (const [slot, inner] of frame.frames) walk(inner, [...path, slot]);
  };
  walk(root, []);
  return found;
}

const SILENT: ReadonlySet<NodeShape> = new Set<NodeShape>(["start", "end", "halt", "parent", "any"]);

/** Steps of the file; those inside a for_each have no address before there are items. */
export const stepsIn = ({ items }: Pick<Picture, "items">): readonly string[] =>
  items.flatMap((item) =>
    item.kind === "box"
      ? [item.id, ...(item.of === "for_each" ? [] : stepsIn(item))]
      : SILENT.has(item.shape)
        ? []
        : [item.id],
  );
