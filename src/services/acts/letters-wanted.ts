// Which letters a person wants to try again: those that they named, or those that a filter finds, as many as they were told.
import type { Letter } from "../../hosts/shared-state.ts";
import { nowOf } from "../clock-of-store.ts";
import { type LetterSelection, selectLetters } from "../letters/select.ts";
import { stepThatRaised } from "../letters/step-that-raised.ts";
import { refusal } from "../refusals.ts";
import type { WatchedRuns } from "../watching/watched-runs.ts";
import { TooLate } from "./first.ts";
import { tooLateForLetter } from "./first-on-letter.ts";

export type LettersWanted =
  | { readonly ids: readonly string[] }
  | {
      readonly filter: Omit<LetterSelection, "ids"> & { readonly step?: string };
      /** How many they were shown. */
      readonly count: number;
    };

/** Open letters of runs that are shown here. Throws when there are not those that the person saw. */
export async function lettersWanted(watched: WatchedRuns, wanted: LettersWanted): Promise<readonly Letter[]> {
  if ("ids" in wanted) return named(watched, wanted.ids);
  const { step, ...selection } = wanted.filter;
  if ([step, ...Object.values(selection)].every((part) => part === undefined))
    throw refusal("say which letters: ids, or a filter");
  const found = await selectLetters(watched.store, { kind: "*", ...selection }, ["open"], nowOf(watched.store));
  const shown = await onlyShown(watched, found);
  const letters = step === undefined ? shown : shown.filter((letter) => stepThatRaised(letter) === step);
  if (letters.length !== wanted.count)
    throw new TooLate(`there are ${letters.length} such letters now, and you were shown ${wanted.count}`, {
      what: "changed",
      by: null,
      at: null,
    });
  if (letters.length === 0) throw refusal("no open letter is like that");
  return letters;
}

async function named(watched: WatchedRuns, ids: readonly string[]): Promise<readonly Letter[]> {
  const found = await selectLetters(watched.store, { ids }, [], nowOf(watched.store));
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
