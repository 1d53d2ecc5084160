// A dead letter as it is shown (in lists the head of it, on its own all that is known), whether it can be retried, and
// what becomes of it when a drive was to try it again.

import type { Envelope } from "../../base/errors/index.ts";
import { callerOfSlot, slotOfFrame } from "../../base/events/key.ts";
import type { RunState } from "../../base/events/state/state.ts";
import type { Result } from "../../base/results/result.ts";
import type { LetterAttempt, LetterBody } from "../../engine/guard/resilience/dead-letter.ts";
import { nodeId } from "../../graph/run-ids.ts";
import { actsOn } from "../../storage/letter-acts.ts";
import type { Letter, LetterAct, LetterStatus } from "../../storage/shared-state.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { isDoneAt } from "../reading/lost-items.ts";
import type { ShownOfRun } from "../reading/shown-of-runs.ts";
import { shownPath } from "../session/files.ts";

export interface LetterView {
  readonly id: string;
  readonly status: LetterStatus;
  readonly kind: string;
  readonly message: string;
  readonly run_id: string;
  readonly workflow: string;
  readonly file: string;
  readonly node_id: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly group?: string;
  readonly item_key?: string;
  /** What the item was, as the source of its for_each had it. */
  readonly item?: unknown;
  /** How often the step ran, retries of the letter included, and how often it was given up. */
  readonly attempts: number;
  readonly count: number;
  readonly first_seen: string;
  readonly last_seen: string;
  /** What people did with it, oldest first; absent when there is nothing. */
  readonly acts?: readonly LetterAct[];
}

export interface WholeLetter extends LetterView {
  readonly inputs?: unknown;
  /** Of the last time that it was called. */
  readonly envelope: Envelope;
  /** Every attempt, those of retries of the letter included. */
  readonly history: readonly LetterAttempt[];
  readonly definition_hash: string;
}

const bodyOf = ({ body }: Letter): LetterBody => body as unknown as LetterBody;

export function letterView(letter: Letter, cwd: string): LetterView {
  const { envelope, attempts, type, path, group, item_key, item, file } = bodyOf(letter);
  return {
    id: letter.id,
    status: letter.status,
    kind: letter.kind,
    message: envelope.message,
    run_id: letter.runId,
    workflow: letter.workflow,
    file: shownPath(file, cwd),
    node_id: letter.node,
    type,
    path,
    ...(group === undefined ? {} : { group }),
    ...(item_key === undefined ? {} : { item_key }),
    ...(item === undefined ? {} : { item }),
    // The envelope counts the attempts of one visit.
    attempts: Math.max(envelope.attempts, attempts.length),
    count: letter.count,
    first_seen: letter.firstSeen,
    last_seen: letter.lastSeen,
    ...(actsOn(letter).length > 0 ? { acts: actsOn(letter) } : {}),
  };
}

export const letterViews = (
  letters: readonly Letter[],
  cwd: string,
  shownOf: (runId: string) => Promise<ShownOfRun>,
): Promise<readonly LetterView[]> =>
  Promise.all(letters.map(async (letter) => (await shownOf(letter.runId))(letterView(letter, cwd))));

/** Removes what an http step notes for its own use: no author gave it. */
const withoutNotes = (inputs: unknown): unknown => {
  const { isUnlimited: _, isUnclassified: _unclassified, ...given } = inputs as Readonly<Record<string, unknown>>;
  return given;
};

export function wholeLetter(letter: Letter, cwd: string): WholeLetter {
  const { type, inputs, envelope, attempts, definition_hash } = bodyOf(letter);
  return {
    ...letterView(letter, cwd),
    ...(inputs === undefined ? {} : { inputs: type === "http" ? withoutNotes(inputs) : inputs }),
    envelope,
    history: attempts,
    definition_hash,
  };
}

interface RunOfLetter {
  readonly status: StoredRun["status"] | "crashed";
  readonly resumable: boolean;
  readonly isDriven: boolean;
}

/** null: its letters can be retried, also when it has ended without what they lost. */
export function whyRunTakesNoRetry({ status, resumable, isDriven }: RunOfLetter): string | null {
  if (isDriven) return "its run is being driven: retry it when the run has come to its end";
  // A run that ended by itself stays as it ended, and the letter is tried alone.
  if (resumable || ["completed", "degraded", "terminated", "failed"].includes(status)) return null;
  return `its run is ${status}, and cannot go on`;
}

/** Why each of these letters cannot be retried, in their order; null for those that can, or that need no retry. */
export async function whyNotRetried(
  store: RunStore,
  letters: readonly { readonly run_id: string; readonly status: LetterStatus }[],
): Promise<readonly (string | null)[]> {
  const runs = new Map<string, string | null>();
  for (const { run_id } of letters) if (!runs.has(run_id)) runs.set(run_id, await whyNot(store, run_id));
  return letters.map(({ run_id, status }) => {
    if (status === "retrying") return "it is being retried";
    return status === "open" ? (runs.get(run_id) ?? null) : null;
  });
}

async function whyNot(store: RunStore, runId: string): Promise<string | null> {
  const run = await store.summary(runId);
  if (!run) return "its run is gone";
  const { status, crashed, resumable, waits } = run;
  const isDriven = waits !== undefined || (status === "running" && !crashed);
  return whyRunTakesNoRetry({ status, isDriven, resumable: resumable || crashed });
}

/** The engine settles a letter whose step succeeds or is given up; `letters` are the rest, once the drive is over. */
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

/** Takes letters that can no longer be tried out of a state. */
export async function withoutGivenUp(state: RunState, store: RunStore): Promise<RunState> {
  for (const id of [...state.letters.keys()]) {
    const status = (await store.state.letters.get(id))?.status;
    if (status !== "open" && status !== "retrying") state.letters.delete(id);
  }
  return state;
}

/** With its sub-workflows before it and without their items, as lists of errors name it: `regions/push`. */
export function stepThatRaised({ body, node }: Pick<Letter, "body" | "node">): string {
  const { path = [], group, item_key, envelope } = body as unknown as Partial<LetterBody>;
  if (!envelope) return nodeId(path, node);
  const [caller, ...inner] = [...envelope.propagated].reverse().map((frame) => callerOfSlot(slotOfFrame(frame)));
  if (caller === undefined) return nodeId(path, envelope.raised_at.node);
  const own = item_key === undefined ? node : (group ?? node);
  return nodeId([...path, own, ...inner], envelope.raised_at.node);
}
