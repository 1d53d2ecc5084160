// What becomes of letters that a drive was to try again: the engine resolves one when its step succeeds and opens it anew when
// it is given up again; of the rest it is said here.
import type { RunState } from "../../events/state.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/result.ts";
import { isDoneAt } from "../lost-items.ts";

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
