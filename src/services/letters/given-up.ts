// A journal says that a letter was kept; that somebody gave it up since, or that it grew too old, the store knows.
import type { RunState } from "../../events/state.ts";
import type { RunStore } from "../../hosts/store.ts";

/** Takes letters that can no longer be tried out of a state. */
export async function withoutGivenUp(state: RunState, store: RunStore): Promise<RunState> {
  for (const id of [...state.letters.keys()]) {
    const status = (await store.state.letters.get(id))?.status;
    if (status !== "open" && status !== "retrying") state.letters.delete(id);
  }
  return state;
}
