// `segno dlq retry`: runs exactly the failed steps and items again, each in its run, and lets the run go on from there.
import { keptIn } from "../../base/errors/mapping.ts";
import { type Head, head, type Result } from "../../base/results/index.ts";
import { type Letter, NO_RUN } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { stateOf } from "../reading/read-run.ts";
import type { Reopening } from "../reading/reopened.ts";
import { shownOfRuns } from "../reading/shown-of-runs.ts";
import { refusal, withRefusals } from "../refusals.ts";
import type { DriveListeners, ResumeRequest } from "../request.ts";
import { resumeRun } from "../runs/resume.ts";
import { actingPerson } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { nowOf, reading, withStore } from "../session/store.ts";
import { type LetterSelection, requireSelection, selectLetters } from "./select.ts";
import { type LetterView, letterViews, settleRetried } from "./view.ts";

export interface RetryRequest
  extends LetterSelection,
    Pick<ResumeRequest, "maxIterations" | "maxVisits" | "staysBehindGates"> {}

/** The result of the run that was driven on; of the worst, when there were several, with all of them in `results`. */
export interface RetryAnswer extends Result {
  readonly letters: readonly LetterView[];
  readonly results?: readonly Result[];
}

export interface NothingToRetry extends Head {
  readonly letters: readonly [];
}

export const retryLetters = (
  given: Session,
  request: RetryRequest,
  listeners: DriveListeners = {},
): Promise<RetryAnswer | NothingToRetry> =>
  withRefusals<Session, RetryAnswer | NothingToRetry, RetryAnswer>(
    given,
    (session) =>
      withStore(session, async (store) => {
        requireSelection(request, session);
        const selected = await selectLetters(store, request, ["open"], session);
        const chosen = selected.filter(({ runId }) => runId !== NO_RUN);
        if (chosen.length === 0 && selected[0]) throw refusal(onlyByProgram(selected[0]));
        if (chosen.length === 0) return { ...head(0), letters: [] };
        const { claimed, taken } = await claim(store, chosen, actingPerson(session));
        if (claimed.length === 0) throw refusal(whyNot(taken));
        return retryClaimed(store, claimed, session, request, listeners);
      }),
    (result) => ({ ...result, letters: [] }),
  );

const onlyByProgram = ({ id, workflow }: Letter): string =>
  `the letter ${id} is no step of a run: a program kept it in its queue ${workflow}, and can retry it with \`DeadLetterQueue.retry\``;

/** Of two who want the same letter one gets it. */
async function claim(store: RunStore, letters: readonly Letter[], by: string) {
  const got = await store.state.letters.claim(letters.map(({ id }) => id));
  const at = new Date(nowOf(store)).toISOString();
  if (got.length > 0) await store.state.letters.setStatus(got, "retrying", { what: "retried", by, at });
  const ours = new Set(got);
  const others = letters.filter(({ id }) => !ours.has(id));
  return { claimed: letters.filter(({ id }) => ours.has(id)), taken: await asTheyAre(store, others) };
}

const asTheyAre = (store: RunStore, letters: readonly Letter[]): Promise<readonly Letter[]> =>
  Promise.all(letters.map(async (letter) => (await store.state.letters.get(letter.id)) ?? letter));

function whyNot([first, ...more]: readonly Letter[]): string {
  const why = first?.status === "retrying" ? "is being retried by another process" : `is ${first?.status} already`;
  return `the letter ${first?.id} ${why}${more.length > 0 ? `, and so on for ${more.length} more` : ""}`;
}

async function retryClaimed(
  store: RunStore,
  claimed: readonly Letter[],
  session: Session,
  { maxIterations, maxVisits, staysBehindGates }: RetryRequest,
  listeners: DriveListeners,
): Promise<RetryAnswer> {
  const results: Result[] = [];
  for (const [runId, letters] of byRun(claimed)) {
    let result: Result | undefined;
    try {
      if (!listeners.signal?.aborted) {
        const reopen = await reopeningOf(store, runId, letters);
        const request = { target: runId, inputs: {}, maxIterations, maxVisits, staysBehindGates, reopen };
        result = await resumeRun(session, request, listeners);
      }
    } finally {
      if (!isPlaced(result)) await settle(store, runId, letters, result);
    }
    if (result) results.push(result);
  }
  // Stopped before the first run was driven: nothing was tried, and all letters are open again.
  if (results.length === 0) throw refusal("stopped before anything was tried again");
  const worst = results.reduce((a, b) => ((b.exit_code ?? 1) > (a.exit_code ?? 1) ? b : a));
  const letters = await letterViews(await asTheyAre(store, claimed), session.cwd, shownOfRuns(store, session));
  const still = letters.filter(({ status }) => status !== "resolved").length;
  // A run that does without an item has ended well; a retry of that item has failed all the same, and reports it.
  const failing =
    still > 0 && worst.exit_code === 0 && !results.every(isPlaced)
      ? {
          success: false,
          exit_code: 3 as const,
          error: `${still} of ${letters.length} ${letters.length === 1 ? "letter" : "letters"} could not be resolved`,
        }
      : {};
  return { ...worst, ...failing, letters, ...(results.length > 1 ? { results } : {}) };
}

export function byRun(letters: readonly Letter[]): ReadonlyMap<string, readonly Letter[]> {
  const runs = new Map<string, Letter[]>();
  for (const letter of letters) keptIn(runs, letter.runId, () => []).push(letter);
  return runs;
}

/** On a fleet, and not followed: from then on the letters belong to the drive, and its worker records how they end. */
const isPlaced = (result: Result | undefined): boolean => result?.status === "queued";

/** The places of these letters; those of the run's other letters stay as they are. */
export async function reopeningOf(store: RunStore, runId: string, letters: readonly Letter[]): Promise<Reopening> {
  const others = await store.state.letters.list({ runId, status: ["open", "retrying"] });
  const places = new Set(letters.map((letter) => letter.place));
  return { places, others: new Set(others.map(({ place }) => place).filter((place) => !places.has(place))) };
}

async function settle(
  store: RunStore,
  runId: string,
  letters: readonly Letter[],
  result: Result | undefined,
): Promise<void> {
  const left = (await asTheyAre(store, letters)).filter(({ status }) => status === "retrying");
  // Of a run that is gone nothing was tried.
  const stateNow = () => reading(store, runId, stateOf).catch(() => undefined);
  if (left.length > 0) await settleRetried(store, left, await stateNow(), result);
}
