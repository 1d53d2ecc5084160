// What becomes of letters that a drive was to try again: the engine resolves one when its step succeeds and opens it anew when
// it is given up again; of the rest it is said here.
import type { LetterBody } from "../../engine/guard/resilience/dead-letter.ts";
import { callerOfSlot, slotOfFrame } from "../../events/key.ts";
import type { RunState } from "../../events/state/state.ts";
import { nodeId } from "../../graph/run-ids.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/result.ts";
import { isDoneAt } from "../runs/lost-items.ts";

/** `letters`: those that are still being retried now that the drive has ended. */
export async function settleRetried(
  store: RunStore,
  letters: readonly Letter[],
  state: RunState | undefined,
  result: Pick<Result, "success"> | undefined,
): Promise<void> {
  const isResolved = (letter: Letter): boolean =>
    state !== undefined && result?.success === true && isDoneAt(state, letter.place);
  const idsOf = (some: readonly Letter[]): readonly string[] => some.map(({ id }) => id);
  await store.state.letters.setStatus(idsOf(letters.filter(isResolved)), "resolved");
  await store.state.letters.setStatus(idsOf(letters.filter((letter) => !isResolved(letter))), "open");
}

// A journal says that a letter was kept; whether it was dropped since, or has expired, only the store knows.

/** Takes letters that can no longer be tried out of a state. */
export async function withoutGivenUp(state: RunState, store: RunStore): Promise<RunState> {
  for (const id of [...state.letters.keys()]) {
    const status = (await store.state.letters.get(id))?.status;
    if (status !== "open" && status !== "retrying") state.letters.delete(id);
  }
  return state;
}

// The step that raised what a letter keeps: a letter of a sub-workflow, or of a group, is about what was raised inside.

/** With its sub-workflows before it and without their items, as lists of errors name it: `regions/push`. */
export function stepThatRaised({ body, node }: Pick<Letter, "body" | "node">): string {
  const { path = [], group, item_key, envelope } = body as unknown as Partial<LetterBody>;
  if (!envelope) return nodeId(path, node);
  const [caller, ...inner] = [...envelope.propagated].reverse().map((frame) => callerOfSlot(slotOfFrame(frame)));
  if (caller === undefined) return nodeId(path, envelope.raised_at.node);
  const own = item_key === undefined ? node : (group ?? node);
  return nodeId([...path, own, ...inner], envelope.raised_at.node);
}
