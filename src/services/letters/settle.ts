// What becomes of letters that a drive was to try again: the engine resolves one when its step succeeds and opens it anew when
// it is given up again; of the rest it is said here.
import type { LetterBody } from "../../engine/guard/resilience/dead-letter.ts";
import { withoutRounds } from "../../events/key.ts";
import { statusOf } from "../../events/read.ts";
import type { FrameState, RunState } from "../../events/state.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/result.ts";

/** `letters`: those that are still being retried now that the drive has ended. */
export async function settleRetried(
  store: RunStore,
  letters: readonly Letter[],
  state: RunState | undefined,
  result: Pick<Result, "success"> | undefined,
): Promise<void> {
  const isResolved = (letter: Letter): boolean =>
    state !== undefined && result?.success === true && isDone(state, letter);
  const idsOf = (some: readonly Letter[]): readonly string[] => some.map(({ id }) => id);
  await store.state.letters.setStatus(idsOf(letters.filter(isResolved)), "resolved");
  await store.state.letters.setStatus(idsOf(letters.filter((letter) => !isResolved(letter))), "open");
}

/** Of a run that ended well: its step succeeded, or the file as it is now does without it. */
function isDone(state: RunState, { place, body }: Letter): boolean {
  let frame: FrameState | undefined = state.root;
  for (const slot of (body as unknown as LetterBody).path) frame = frame?.frames.get(slot);
  const node = [...(frame?.byKey.entries() ?? [])].find(([key]) => withoutRounds(key) === place)?.[1];
  if (!frame || !node) return true;
  const status = statusOf(state, node.owner ?? frame, node);
  return status === "completed" || status === "recovered" || status === "not_executed";
}
