// One entry of `errors` or `warnings`, made from an envelope. Redaction happens here, once, on all that is free text; words
// of our own (category, kind, action …) are left alone, so that a secret named "failed" cannot break the object's shape.
import { type Envelope, isEngineKind, traitsOf } from "../errors/index.ts";
import type { Shell } from "../events/index.ts";
import type { Redactor } from "../redact/index.ts";
import { hoisted, shownDetails } from "./hoist.ts";
import type { Entry, Place } from "./result.ts";

export interface RaisedEntry {
  readonly error: Envelope;
  readonly node: string | null;
  readonly action: Entry["action"];
  readonly hint: string | undefined;
  readonly location: Place | undefined;
  /** What the file's policy says, where it says something. */
  readonly retryable?: boolean | undefined;
  readonly stepType: string | undefined;
  readonly shell: Shell | null;
  readonly referenced: Shell | null;
  readonly eventsFile: string | undefined;
  /** Fields of the occasion: group, item_key, recovered_by … */
  readonly more?: Partial<Entry>;
}

export function entryOf(raising: RaisedEntry, redactor: Redactor): Entry {
  const { error, node, action, location, hint } = raising;
  const { category, fixable, retryable, owner } = traitsOf(error.kind, error.details);
  const free = {
    message: error.message,
    ...hoisted(error, raising),
    details: shownDetails(error),
    attempts: error.attempts,
    ...(error.items ? { items: error.items } : {}),
    cause: error.cause ?? null,
    ...raising.more,
    ...(hint === undefined ? {} : { hint }),
  };
  return {
    source: "runtime",
    category,
    kind: shownKind(error.kind, redactor),
    node_id: node === null ? null : redactor.text(node),
    action,
    fixable,
    retryable: raising.retryable ?? retryable,
    owner,
    ...(location ? { location } : {}),
    // Names out of a file may have a secret of the environment in them.
    raised_at: redactor.value(error.raised_at) as Envelope["raised_at"],
    propagated: redactor.value(error.propagated) as Envelope["propagated"],
    ...(redactor.value(free) as typeof free),
  };
}

/** Kinds of our own are words of ours; a script may make one of anything. */
export const shownKind = (kind: string, { text }: Pick<Redactor, "text">): string =>
  isEngineKind(kind) ? kind : text(kind);

/** An entry that is no envelope: an ending, a warning, a refusal. */
export function plainEntry(fields: Pick<Entry, "message"> & Partial<Entry>, redactor?: Pick<Redactor, "text">): Entry {
  const entry: Entry = {
    source: "runtime",
    category: null,
    kind: null,
    node_id: null,
    action: null,
    fixable: false,
    retryable: false,
    owner: null,
    ...fields,
  };
  return redactor ? shownEntry(entry, redactor) : entry;
}

/** The entry without secrets in what a file or a person may have put there: sentences and names. */
export function shownEntry(entry: Entry, { text }: Pick<Redactor, "text">): Entry {
  const { message, hint, node_id, suggestions, via, location } = entry;
  return {
    ...entry,
    message: text(message),
    node_id: node_id === null ? null : text(node_id),
    ...(hint === undefined ? {} : { hint: text(hint) }),
    ...(suggestions === undefined ? {} : { suggestions: suggestions.map(text) }),
    ...(via === undefined ? {} : { via: via.map(text) }),
    ...(location === undefined ? {} : { location: { ...location, file: text(location.file) } }),
  };
}
