// Which letters a person wants to retry: those that they named, or the number shown that a filter finds.

import { actsOn } from "../../hosts/letter-acts.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import { type LetterSelection, selectLetters } from "../letters/select.ts";
import { stepThatRaised } from "../letters/settle.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import type { WatchedRuns } from "../views/watched-runs.ts";
import { type FirstAct, lastOf, TooLate } from "./first.ts";

export type LettersWanted =
  | { readonly ids: readonly string[] }
  | {
      readonly filter: Omit<LetterSelection, "ids"> & { readonly step?: string };
      /** How many they were shown. */
      readonly count: number;
    };

/** Open letters of runs that are shown here. Throws when there are not those that the person saw. */
export async function lettersWanted(
  watched: WatchedRuns,
  wanted: LettersWanted,
  session: Pick<Session, "reader">,
): Promise<readonly Letter[]> {
  if ("ids" in wanted) return named(watched, wanted.ids, session);
  const { step, ...selection } = wanted.filter;
  if ([step, ...Object.values(selection)].every((part) => part === undefined))
    throw refusal("say which letters: ids, or a filter");
  const found = await selectLetters(watched.store, { kind: "*", ...selection }, ["open"], session);
  const shown = await onlyShown(watched, found);
  const letters = step === undefined ? shown : shown.filter((letter) => stepThatRaised(letter) === step);
  if (letters.length !== wanted.count)
    throw new TooLate(`there are ${letters.length} such letters now, and you were shown ${wanted.count}`, UNKNOWN.open);
  if (letters.length === 0) throw refusal("no open letter is like that");
  return letters;
}

async function named(
  watched: WatchedRuns,
  ids: readonly string[],
  session: Pick<Session, "reader">,
): Promise<readonly Letter[]> {
  const found = await selectLetters(watched.store, { ids }, [], session);
  const letters = await onlyShown(watched, found);
  if (letters.length < found.length) throw refusal("one of these letters is of a run that is not shown here");
  const gone = letters.find(({ status }) => status !== "open");
  if (gone) throw await tooLateForLetter(watched.store, gone);
  return letters;
}

async function onlyShown(watched: WatchedRuns, letters: readonly Letter[]): Promise<readonly Letter[]> {
  const shown = await Promise.all(
    letters.map(async ({ runId }) => {
      const run = await watched.store.summary(runId);
      return run !== undefined && watched.isShown(run.file);
    }),
  );
  return letters.filter((_, index) => shown[index]);
}

// Who was faster with a letter: who dropped it, who retries it, or whose drive of its run has resolved it.

/** `letter`: one that is no longer open. */
async function tooLateForLetter(store: RunStore, letter: Letter): Promise<TooLate> {
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

/** Letters that an older Segno changed have no names in them. */
const UNKNOWN: Readonly<Record<Letter["status"], FirstAct>> = {
  open: { what: "changed", by: null, at: null },
  retrying: { what: "retried", by: null, at: null },
  resolved: { what: "retried", by: null, at: null },
  dropped: { what: "dropped", by: null, at: null },
};
