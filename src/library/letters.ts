// Dead letters: steps and items that failed for good and were kept.
import type { Head, Result } from "../results/result.ts";
import type { ShownLetter as WholeLetter } from "../services/letters/letters.ts";
import type { LetterSelection } from "../services/letters/select.ts";
import type { LetterView as Letter } from "../services/letters/view.ts";
import { DRIVING, drivingOf } from "./driving.ts";
import type { StoreOptions } from "./options.ts";
import type { DriveOptions, RunOptions } from "./run-options.ts";
import { allOf, givenOf, STANDING, standingOf } from "./standing.ts";
import { checkCall, checkGiven } from "./wrong-call.ts";

export type { Letter, LetterSelection, WholeLetter };

export interface LettersAnswer<One extends Letter = Letter> extends Head {
  readonly letters: readonly One[];
}

/** The result of the run that was driven on; of the worst, when there were several. Only a head when there was nothing to retry. */
export interface RetryAnswer extends Head, Partial<Omit<Result, keyof Head>> {
  readonly letters: readonly Letter[];
  readonly results?: readonly Result[];
}

const SELECTION = allOf<LetterSelection>()(["ids", "kind", "workflow", "run", "since"]);

async function list(options: StoreOptions & LetterSelection & { readonly all?: boolean } = {}): Promise<LettersAnswer> {
  await checkGiven("letters.list", options, [...STANDING, ...SELECTION, "all"]);
  const { listLetters } = await import("../services/letters/letters.ts");
  return listLetters(standingOf(options), givenOf(options, [...SELECTION, "all"]));
}

async function show(id: string, options: StoreOptions = {}): Promise<LettersAnswer<WholeLetter>> {
  await checkCall("letters.show", ["the id of a letter", id], options, STANDING);
  const { showLetter } = await import("../services/letters/letters.ts");
  return showLetter(standingOf(options), { id });
}

async function retry(
  selection: LetterSelection,
  options: DriveOptions & Pick<RunOptions, "maxIterations"> = {},
): Promise<RetryAnswer> {
  await checkGiven("letters.retry", selection, SELECTION);
  await checkGiven("letters.retry", options, [...DRIVING, "maxIterations"]);
  const { retryLetters } = await import("../services/letters/letters.ts");
  const { session, listeners } = await drivingOf(options);
  const { maxIterations } = options;
  const request = { ...givenOf(selection, SELECTION), maxIterations, staysBehindGates: true };
  return retryLetters(session, request, listeners);
}

async function drop(selection: LetterSelection, options: StoreOptions = {}): Promise<LettersAnswer> {
  await checkGiven("letters.drop", selection, SELECTION);
  await checkGiven("letters.drop", options, STANDING);
  const { dropLetters } = await import("../services/letters/letters.ts");
  return dropLetters(standingOf(options), givenOf(selection, SELECTION));
}

/**
 * Dead letters: `list` them, `show` one, `retry` exactly the failed steps and items in their runs, or `drop` them.
 *
 * @example
 * const { letters: open } = await letters.list({ kind: "http.*", since: "1d" });
 * console.log(open.map(({ node_id, item_key, message }) => `${node_id} ${item_key ?? ""}: ${message}`));
 * const { success } = await letters.retry({ kind: "http.*" });
 *
 * @deprecated Use `segno.letters` of a client, which `createSegno` makes.
 */
export const letters = { list, show, retry, drop };
