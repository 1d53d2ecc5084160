// Who was faster with a letter: who dropped it, who retries it, or whose drive of its run has resolved it.
import { actsOn } from "../../hosts/letter-acts.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import { reading } from "../store.ts";
import { type FirstAct, lastOf, TooLate } from "./first.ts";

/** `letter`: one that is no longer open. */
export async function tooLateForLetter(store: RunStore, letter: Letter): Promise<TooLate> {
  const first = await firstOn(store, letter);
  const what = letter.status === "retrying" ? "being retried" : letter.status;
  const who = first.by === null ? "" : `: ${first.by} ${first.what} ${first.what === "resumed" ? "its run" : "it"}`;
  const when = first.at === null ? "" : `${who === "" ? "," : ""} at ${first.at}`;
  return new TooLate(`the letter ${letter.id} is ${what} already${who}${when}`, first, letter.runId);
}

async function firstOn(store: RunStore, letter: Letter): Promise<FirstAct> {
  const act = actsOn(letter).at(-1);
  if (letter.status !== "resolved") return act ?? UNKNOWN[letter.status];
  // A resume of its run resolves a letter as well, and may have come after a retry that failed.
  const resumed = await reading(store, letter.runId, (reader) => lastOf(reader, 0, "run_resumed"));
  if (act && (!resumed || resumed.data.by === undefined || resumed.data.by === act.by)) return act;
  return resumed ? { what: "resumed", by: resumed.data.by ?? null, at: resumed.ts } : UNKNOWN.resolved;
}

/** Letters that an older Segno changed name nobody. */
const UNKNOWN: Readonly<Record<Letter["status"], FirstAct>> = {
  open: { what: "changed", by: null, at: null },
  retrying: { what: "retried", by: null, at: null },
  resolved: { what: "retried", by: null, at: null },
  dropped: { what: "dropped", by: null, at: null },
};
