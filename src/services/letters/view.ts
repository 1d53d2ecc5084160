// A dead letter as it is shown: in lists the head of it, on its own all that is known.
import type { LetterBody } from "../../engine/guard/resilience/dead-letter.ts";
import { actsOn } from "../../hosts/letter-acts.ts";
import type { Letter, LetterAct, LetterStatus } from "../../hosts/shared-state.ts";
import type { Redactor } from "../../redact/index.ts";
import { shownPath } from "../session/shown-path.ts";

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
  readonly envelope: unknown;
  readonly history: readonly unknown[];
  readonly definition_hash: string;
}

const bodyOf = ({ body }: Letter): LetterBody => body as unknown as LetterBody;

export function letterView(letter: Letter, cwd: string, redactor: Redactor): LetterView {
  const { envelope, attempts, type, path, group, item_key, item, file } = bodyOf(letter);
  const view: LetterView = {
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
    // The envelope is that of the first time, and knows nothing of later ones.
    attempts: Math.max(envelope.attempts, attempts.length),
    count: letter.count,
    first_seen: letter.firstSeen,
    last_seen: letter.lastSeen,
    ...(actsOn(letter).length > 0 ? { acts: actsOn(letter) } : {}),
  };
  // Ids, times and our own words hold no secret, and a letter must have a name even when the run's secrets are lost.
  const { id, status, kind, run_id, first_seen, last_seen } = view;
  return { ...(redactor.value(view) as LetterView), id, status, kind, run_id, type, first_seen, last_seen };
}

/** Removes what an http step notes for its own use: no author gave it. */
const withoutNotes = (inputs: unknown): unknown => {
  const { isUnlimited: _, isUnclassified: _unclassified, ...given } = inputs as Readonly<Record<string, unknown>>;
  return given;
};

export function wholeLetter(letter: Letter, cwd: string, redactor: Redactor): WholeLetter {
  const { type, inputs, envelope, attempts, definition_hash } = bodyOf(letter);
  const rest = {
    ...(inputs === undefined ? {} : { inputs: type === "http" ? withoutNotes(inputs) : inputs }),
    envelope,
    history: attempts,
    definition_hash,
  };
  return { ...letterView(letter, cwd, redactor), ...(redactor.value(rest) as typeof rest) };
}
