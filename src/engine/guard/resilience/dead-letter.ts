// A dead letter: a step or an item that failed for good, with everything that is needed to understand it and to try again.
import type { Envelope } from "../../../base/errors/index.ts";
import { withoutRounds } from "../../../base/events/key.ts";

export interface DeadLetter {
  /** The key without its rounds: what fails there twice is one letter, and what succeeds there settles it. */
  readonly place: string;
  readonly workflow: string;
  readonly node: string;
  readonly kind: string;
  readonly body: LetterBody;
}

/** A type, not an interface: it is kept as plain data. */
export type LetterBody = {
  readonly type: string;
  /** Sub-workflows that lead to the step. */
  readonly path: readonly string[];
  /** Of a member of a group; `item_key` of an item of a for_each. */
  readonly group?: string;
  readonly item_key?: string;
  /** Of the innermost for_each around the step, also where that is in a workflow above. */
  readonly item?: unknown;
  /** The step's inputs as rendered; absent when they could not be. */
  readonly inputs?: unknown;
  readonly envelope: Envelope;
  readonly attempts: readonly LetterAttempt[];
  readonly file: string;
  readonly definition_hash: string;
  /** What people did with it since, as the store keeps it. */
  readonly acts?: readonly unknown[];
};

export type LetterAttempt = { readonly attempt: number; readonly kind: string; readonly message: string };

export interface LetterFailure {
  readonly key: string;
  readonly workflow: { readonly name: string; readonly file: string; readonly digest: string };
  readonly node: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly member?: { readonly group: string; readonly item_key?: string };
  readonly item?: unknown;
  readonly inputs?: unknown;
  readonly error: Envelope;
  /** The errors of all attempts of the visit, the last one included. */
  readonly errors: readonly AttemptError[];
}

type AttemptError = Pick<Envelope, "attempts" | "kind" | "message"> & Partial<Pick<Envelope, "details">>;

/** A breaker refused the call: nothing was asked, so this says nothing of what was wrong. */
const wasCalled = ({ kind }: { readonly kind: string }): boolean => kind !== "circuit.open";

/** If a breaker refused the last attempts, the error of the last call before them. */
function answeredError(error: Envelope, errors: readonly AttemptError[]): Envelope {
  const answer = wasCalled(error) ? undefined : errors.findLast(wasCalled);
  return answer ? { ...error, kind: answer.kind, message: answer.message, details: answer.details ?? {} } : error;
}

/**
 * The letter for a failure.
 *
 * @example
 * const letter = letterOf({ key: "fetch#1", workflow, node: "fetch", type: "http", path: [], error, errors: [error] });
 */
export function letterOf(failing: LetterFailure): DeadLetter {
  const { key, workflow, node, type, path, member, item, inputs, errors } = failing;
  const error = answeredError(failing.error, errors);
  return {
    place: withoutRounds(key),
    workflow: workflow.name,
    node,
    kind: error.kind,
    body: {
      type,
      path,
      ...(member ? { group: member.group } : {}),
      ...(member?.item_key === undefined ? {} : { item_key: member.item_key }),
      ...(item === undefined ? {} : { item }),
      ...(inputs === undefined ? {} : { inputs }),
      envelope: error,
      attempts: errors.map(({ attempts, kind, message }) => ({ attempt: attempts, kind, message })),
      file: workflow.file,
      definition_hash: workflow.digest,
    },
  };
}

/**
 * The letter of a place that failed again while its letter waited: it has the last error, unless a retry only met an open
 * breaker. All attempts and what people did with the letter are kept.
 *
 * @example const letter = followUp(kept, letterOf(failing));
 */
export function followUp(before: DeadLetter, again: DeadLetter): DeadLetter {
  const { kind, body } = wasCalled(again) ? again : before;
  return {
    ...again,
    kind,
    body: {
      ...again.body,
      envelope: body.envelope,
      attempts: [...before.body.attempts, ...again.body.attempts],
      ...(before.body.acts ? { acts: before.body.acts } : {}),
    },
  };
}
