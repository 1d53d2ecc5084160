// Dead letters as people and tools ask for them: the list, one of them, giving them up. Retrying is in letters/retry.ts.
import { existsSync } from "node:fs";
import { type Head, head, type ListHead } from "../../base/results/index.ts";
import { fileDigest } from "../../engine/visit/hash.ts";
import { loadWorkflow } from "../../language/load.ts";
import { LETTER_RETENTION_MS, type Letter } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { forgetSecretsOfRun } from "../reading/forget-secrets.ts";
import { type ShownOfRun, shownOfRuns } from "../reading/shown-of-runs.ts";
import { orRefused, refusal } from "../refusals.ts";
import { skipUnreadable } from "../session/damage.ts";
import { knownTo } from "../session/extensions.ts";
import { filesOf } from "../session/files.ts";
import { actingPerson } from "../session/people.ts";
import type { Session } from "../session/session.ts";
import { incompleteOf, nowOf, reading, withStore } from "../session/store.ts";
import { type LetterSelection, requireSelection, selectLetters } from "./select.ts";
import { type LetterView, letterView, letterViews, type WholeLetter, wholeLetter } from "./view.ts";

export { type RetryAnswer, type RetryRequest, retryLetters } from "./retry.ts";
export type { LetterView, WholeLetter } from "./view.ts";

export interface LettersAnswer extends ListHead {
  readonly letters: readonly LetterView[];
}

export interface LettersRequest extends LetterSelection {
  /** Also those that are resolved or dropped. */
  readonly all?: boolean;
}

export const listLetters = (session: Session, request: LettersRequest): Promise<LettersAnswer> =>
  answer(session, async (store, shownOf) => {
    await store.state.letters.expire(nowOf(store) - LETTER_RETENTION_MS);
    const statuses = request.all ? [] : (["open", "retrying"] as const);
    const letters = await selectLetters(store, request, statuses, session);
    return skipUnreadable(
      session,
      letters,
      ({ id }) => `the letter ${id}`,
      async (letter) => (await shownOf(letter.runId))(letterView(letter, session.cwd)),
    );
  });

/** All that is known of a letter. */
export interface ShownLetter extends WholeLetter {
  /** Whether the workflow's files are as they were when the letter was written. */
  readonly workflow_file: "unchanged" | "changed" | "gone";
}

export interface LetterAnswer extends Head {
  readonly letters: readonly ShownLetter[];
}

export const showLetter = (session: Session, request: { readonly id: string }): Promise<LetterAnswer> =>
  answer(session, async (store, shownOf) => {
    const letters = await selectLetters(store, { ids: [request.id] }, [], session);
    return Promise.all(
      letters.map(async (letter) => ({
        ...(await shownOf(letter.runId))(wholeLetter(letter, session.cwd)),
        workflow_file: await fileStatus(store, letter, session),
      })),
    );
  });

/** Drops letters, and records who did; those that are being retried stay. */
export const dropLetters = (session: Session, request: LetterSelection): Promise<LettersAnswer> =>
  answer(session, async (store, shownOf) => {
    requireSelection(request, session);
    const chosen = await selectLetters(store, request, ["open"], session);
    const busy = chosen.find((letter) => letter.status !== "open");
    if (busy) throw refusal(`the letter ${busy.id} is ${busy.status}; only open letters can be dropped`);
    // Claimed first: of two who give the same letter up, one did it.
    const ours = await store.state.letters.claim(chosen.map(({ id }) => id));
    if (ours.length === 0 && chosen.length > 0) throw refusal("another process has just taken these letters");
    const at = new Date(nowOf(store)).toISOString();
    const act = { what: "dropped", by: actingPerson(session), at } as const;
    const dropped = await store.state.letters.setStatus(ours, "dropped", act);
    const views = await letterViews(dropped, session.cwd, shownOf);
    for (const runId of new Set(dropped.map((letter) => letter.runId)))
      await forgetSecretsOfRun(store, runId).catch(() => {});
    return views;
  });

const answer = <View extends LetterView>(
  session: Session,
  find: (store: RunStore, shownOf: (runId: string) => Promise<ShownOfRun>) => Promise<readonly View[]>,
): Promise<ListHead & { readonly letters: readonly View[] }> =>
  orRefused(session, { letters: [] }, () =>
    withStore(session, async (store) => ({
      ...head(0),
      letters: await find(store, shownOfRuns(store, session)),
      ...incompleteOf(store),
    })),
  );

async function fileStatus(
  store: RunStore,
  { runId, body }: Letter,
  session: Session,
): Promise<ShownLetter["workflow_file"]> {
  try {
    const root = await reading(store, runId, (reader) => reader.meta.file);
    if (!existsSync(root)) return "gone";
    // The digest is that of the file that the step is in, which may be a sub-workflow.
    const { workflow } = loadWorkflow(String(body.file), filesOf(session), knownTo(session.extensions));
    return workflow && fileDigest(workflow) === body.definition_hash ? "unchanged" : "changed";
  } catch {
    return "gone";
  }
}
