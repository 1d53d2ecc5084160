// Dead letters as people and tools ask for them: the list, one of them, giving them up. Retrying is in letters/retry.ts.
import { existsSync } from "node:fs";
import { fileDigest } from "../engine/visit/hash.ts";
import type { Letter } from "../hosts/embedded/state/letters.ts";
import type { Store } from "../hosts/embedded/store.ts";
import { loadWorkflow } from "../language/load.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../redact/index.ts";
import { type Head, head } from "../results/index.ts";
import { realFiles } from "./files.ts";
import { RETENTION_MS } from "./governance/store-governance.ts";
import { storeOf } from "./home.ts";
import { BadSelection, isEmpty, type LetterSelection, selectLetters } from "./letters/select.ts";
import { type LetterView, letterView, type WholeLetter, wholeLetter } from "./letters/view.ts";
import { refused, storeProblem } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

export { type NothingToRetry, type RetryAnswer, type RetryRequest, retryLetters } from "./letters/retry.ts";
export type { LetterView, WholeLetter } from "./letters/view.ts";

export interface LettersAnswer extends Head {
  readonly letters: readonly LetterView[];
}

export interface LettersRequest extends Surroundings, LetterSelection {
  /** Also those that are resolved or dropped. */
  readonly all?: boolean;
}

export const listLetters = (request: LettersRequest): LettersAnswer =>
  answer(request, (store, redactor) => {
    store.state.letters.expire(Date.now() - RETENTION_MS);
    const statuses = request.all ? [] : (["open", "retrying"] as const);
    return selectLetters(store, request, statuses, Date.now()).map((letter) =>
      letterView(letter, request.cwd, redactor),
    );
  });

export interface ShownLetter extends WholeLetter {
  /** Whether the workflow's files are as they were when the letter was written. */
  readonly workflow_file: "unchanged" | "changed" | "gone";
}

export interface LetterAnswer extends Head {
  readonly letters: readonly ShownLetter[];
}

export const showLetter = (request: Surroundings & { readonly id: string }): LetterAnswer =>
  answer(request, (store, redactor) =>
    selectLetters(store, { ...request, ids: [request.id] }, [], Date.now()).map((letter) => ({
      ...wholeLetter(letter, request.cwd, redactor),
      workflow_file: fileStatus(store, letter, request),
    })),
  );

/** Gives letters up; those that are being retried stay. */
export const dropLetters = (request: Surroundings & LetterSelection): LettersAnswer =>
  answer(request, (store, redactor) => {
    if (isEmpty(request)) throw new BadSelection("say which letters: ids, or --kind, --workflow, --run, --since");
    const chosen = selectLetters(store, request, ["open"], Date.now());
    const busy = chosen.find((letter) => letter.status !== "open");
    if (busy) throw new BadSelection(`the letter ${busy.id} is ${busy.status}; only open letters can be dropped`);
    return store.state
      .atOnce(() => chosen.flatMap(({ id }) => store.state.letters.update(id, () => ({ status: "dropped" })) ?? []))
      .map((letter) => letterView(letter, request.cwd, redactor));
  });

function answer<View extends LetterView>(
  request: Surroundings,
  find: (store: Store, redactor: Redactor) => readonly View[],
): Head & { readonly letters: readonly View[] } {
  const store = storeOf(request);
  try {
    return { ...head(0), letters: find(store, createRedactor({ secrets: secretsFromEnvironment(request.env) })) };
  } catch (problem) {
    if (problem instanceof BadSelection) return { ...refused(problem.message), letters: [] };
    return { ...storeProblem(problem, undefined, request), letters: [] };
  } finally {
    store.close();
  }
}

function fileStatus(store: Store, { runId, body }: Letter, { env }: Surroundings): ShownLetter["workflow_file"] {
  try {
    const reader = store.readRun(runId);
    const { file } = reader.meta;
    reader.close();
    if (!existsSync(file)) return "gone";
    const { workflow } = loadWorkflow(file, realFiles(env));
    return workflow && fileDigest(workflow) === body.definition_hash ? "unchanged" : "changed";
  } catch {
    return "gone";
  }
}
