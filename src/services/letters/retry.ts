// `segno dlq retry`: runs exactly the failed steps and items again, each in its run, and lets the run go on from there.
import type { LetterBody } from "../../engine/guard/resilience/dead-letter.ts";
import { withoutRounds } from "../../events/key.ts";
import { statusOf } from "../../events/read.ts";
import type { FrameState, RunState } from "../../events/state.ts";
import type { Letter } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import { type Head, head, type Result } from "../../results/index.ts";
import { actingPerson } from "../acting-person.ts";
import { answering } from "../answering.ts";
import { nowOf } from "../clock-of-store.ts";
import { stateOf } from "../read-run.ts";
import { redactorsOfRuns } from "../redactors-of-runs.ts";
import { refusal } from "../refusals.ts";
import type { Driving, ResumeRequest } from "../request.ts";
import { resumeRun } from "../resume.ts";
import { reading, withStore } from "../store.ts";
import type { Reopening } from "./reopened.ts";
import { isEmpty, type LetterSelection, sayWhichLetters, selectLetters } from "./select.ts";
import { type LetterView, letterView } from "./view.ts";

export interface RetryRequest extends Driving, LetterSelection, Pick<ResumeRequest, "staysBehindGates"> {
  readonly maxIterations?: number;
}

/** The result of the run that was driven on; of the worst, when there were several, with all of them in `results`. */
export interface RetryAnswer extends Result {
  readonly letters: readonly LetterView[];
  readonly results?: readonly Result[];
}

export interface NothingToRetry extends Head {
  readonly letters: readonly [];
}

export const retryLetters = (request: RetryRequest): Promise<RetryAnswer | NothingToRetry> =>
  answering<RetryAnswer | NothingToRetry, RetryAnswer>(
    request,
    () =>
      withStore(request, async (store) => {
        if (isEmpty(request)) throw refusal(sayWhichLetters(request.reader));
        const chosen = await selectLetters(store, request, ["open"], nowOf(store));
        if (chosen.length === 0) return { ...head(0), letters: [] };
        const { claimed, taken } = await claim(store, chosen, actingPerson(request));
        if (claimed.length === 0) throw refusal(whyNot(taken));
        return retryClaimed(store, claimed, request);
      }),
    (result) => ({ ...result, letters: [] }),
  );

interface Claim {
  readonly claimed: readonly Letter[];
  readonly taken: readonly Letter[];
}

/** Of two who want the same letter one gets it. */
async function claim(store: RunStore, letters: readonly Letter[], by: string): Promise<Claim> {
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

async function retryClaimed(store: RunStore, claimed: readonly Letter[], request: RetryRequest): Promise<RetryAnswer> {
  const results: Result[] = [];
  for (const [runId, letters] of byRun(claimed)) {
    let result: Result | undefined;
    try {
      if (!request.signal?.aborted) result = await retryRun(store, runId, letters, request);
    } finally {
      await settle(store, runId, letters, result);
    }
    if (result) results.push(result);
  }
  // Stopped before the first run was driven: nothing was tried, and all letters are open again.
  if (results.length === 0) throw refusal("stopped before anything was tried again");
  const worst = results.reduce((a, b) => ((b.exit_code ?? 1) > (a.exit_code ?? 1) ? b : a));
  const redactorOf = redactorsOfRuns(store, request);
  const letters = await Promise.all(
    (await asTheyAre(store, claimed)).map(async (letter) =>
      letterView(letter, request.cwd, await redactorOf(letter.runId)),
    ),
  );
  const still = letters.filter(({ status }) => status !== "resolved").length;
  // A run that does without an item has ended well; whoever tried the item again wants to know that it did not.
  const failing =
    still > 0 && worst.exit_code === 0
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
  for (const letter of letters) {
    const known = runs.get(letter.runId);
    if (known) known.push(letter);
    else runs.set(letter.runId, [letter]);
  }
  return runs;
}

async function retryRun(
  store: RunStore,
  runId: string,
  letters: readonly Letter[],
  request: RetryRequest,
): Promise<Result> {
  const { signal, on, ask, askForMoreIterations, maxIterations, staysBehindGates } = request;
  return resumeRun({
    cwd: request.cwd,
    env: request.env,
    home: request.home,
    fleet: request.fleet,
    reader: request.reader,
    extensions: request.extensions,
    defaults: request.defaults,
    signal,
    on,
    ask,
    askForMoreIterations,
    maxIterations,
    staysBehindGates,
    target: runId,
    inputs: {},
    reopen: await reopeningOf(store, runId, letters),
  });
}

/** The places of these letters; those of the run's other letters stay as they are. */
export async function reopeningOf(store: RunStore, runId: string, letters: readonly Letter[]): Promise<Reopening> {
  const others = await store.state.letters.list({ runId, status: ["open", "retrying"] });
  const places = new Set(letters.map((letter) => letter.place));
  return { places, others: new Set(others.map(({ place }) => place).filter((place) => !places.has(place))) };
}

/** The engine resolves a letter when its step succeeds and opens it anew when it is given up again; the rest is done here. */
async function settle(
  store: RunStore,
  runId: string,
  letters: readonly Letter[],
  result: Result | undefined,
): Promise<void> {
  const left = (await asTheyAre(store, letters)).filter(({ status }) => status === "retrying");
  if (left.length === 0) return;
  const state = await stateNow(store, runId);
  const isResolved = (letter: Letter): boolean =>
    state !== undefined && result?.success === true && isDone(state, letter);
  const idsOf = (some: readonly Letter[]): readonly string[] => some.map(({ id }) => id);
  await store.state.letters.setStatus(idsOf(left.filter(isResolved)), "resolved");
  await store.state.letters.setStatus(idsOf(left.filter((letter) => !isResolved(letter))), "open");
}

async function stateNow(store: RunStore, runId: string): Promise<RunState | undefined> {
  try {
    return await reading(store, runId, stateOf);
  } catch {
    // The run is gone: nothing was tried.
    return undefined;
  }
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
