// The one shape of every failure: a failure site gives `Raised`; the engine, which knows where and on which attempt, makes it
// an `Envelope`. And what an attempt came to: executors return it, and do not throw for what happens to users.
import { isKind } from "./kinds.ts";
import { isMapping } from "./mapping.ts";

/** Where an error was first raised. `workflow` is the workflow's name. */
export interface RaisedAt {
  readonly workflow: string;
  readonly node: string;
  readonly attempt: number;
}

/** A member of a group: which group, and in a for_each which item. */
export interface GroupPlace {
  readonly group: string;
  readonly item_key?: string;
}

/** One sub-workflow boundary that an error crossed on its way up; of a calling step in a group, with its place there. */
export interface Frame extends Partial<GroupPlace> {
  readonly workflow: string;
  readonly node: string;
}

export type Details = Readonly<Record<string, unknown>>;

/** A failure as the place that noticed it describes it. */
export interface Raised {
  readonly kind: string;
  readonly message: string;
  readonly details: Details;
  readonly cause?: Envelope;
}

export interface Envelope extends Raised {
  readonly raised_at: RaisedAt;
  /** Innermost first. */
  readonly propagated: readonly Frame[];
  /** How often the node ran on this visit, the failing run included. */
  readonly attempts: number;
  /** The innermost group that it was raised in, and in a for_each which item. */
  readonly group?: string;
  readonly item_key?: string;
  /** Where it was raised in several groups, one inside the other: the place in each, outermost first. */
  readonly items?: readonly GroupPlace[];
}

/** What templates may read of an error. */
export const ENVELOPE_FIELDS = [
  "kind",
  "message",
  "details",
  "raised_at",
  "propagated",
  "attempts",
  "cause",
  "group",
  "item_key",
  "items",
] as const satisfies readonly (keyof Envelope)[];

/** Says what failed. Every failure in the program is made by this function. */
export function raised(kind: string, message: string, details: Details = {}, cause?: Envelope): Raised {
  return cause ? { kind, message, details, cause } : { kind, message, details };
}

/** Stamps a failure with its place and attempt. */
export function envelope(error: Raised, raisedAt: RaisedAt): Envelope {
  return {
    kind: error.kind,
    message: error.message,
    details: error.details,
    raised_at: raisedAt,
    propagated: [],
    attempts: raisedAt.attempt,
    ...(error.cause ? { cause: error.cause } : {}),
  };
}

/** The same error one sub-workflow boundary further up. */
export function crossing(error: Envelope, frame: Frame): Envelope {
  return { ...error, propagated: [...error.propagated, frame] };
}

/** The same error with another one as its cause, at the end of the chain of causes it already has. */
export function causedBy(error: Envelope, cause: Envelope): Envelope {
  return error.cause ? { ...error, cause: causedBy(error.cause, cause) } : { ...error, cause };
}

// Envelopes as scripts and agents write them: JSON with a discriminator, checked once on the way in.

export type Parsed =
  | { readonly ok: true; readonly error: Raised }
  | { readonly ok: false; readonly reason: string; readonly field?: string };

const refuse = (reason: string, field?: string): Parsed =>
  field ? { ok: false, reason, field } : { ok: false, reason };

/** A value of JSON as a sentence names it: "the number 5". */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isMapping(value)) return "an object";
  const text = JSON.stringify(value);
  return typeof value === "boolean"
    ? text
    : `the ${typeof value === "string" ? "text" : "number"} ${text.slice(0, 60)}`;
}

/**
 * Reads an envelope. In the error file of a script the discriminator may be left out, since the channel says it
 * already; an agent's answer is an envelope only if it carries it (see `claimsToBeEnvelope`).
 */
export function parseEnvelope(value: unknown): Parsed {
  if (!isMapping(value)) return refuse("an error envelope is a JSON object");
  if ("conductor_error" in value && value.conductor_error !== true)
    return refuse("conductor_error must be true, or left out", "conductor_error");
  const { kind, message, details } = value;
  if (kind === undefined || kind === null)
    return refuse("kind is missing: a dotted lower-case name such as external.git.drift", "kind");
  if (typeof kind !== "string")
    return refuse(
      `kind is ${inWords(kind)}, but must be text: a dotted lower-case name such as external.git.drift`,
      "kind",
    );
  if (!isKind(kind))
    return refuse(`kind ${JSON.stringify(kind)} is not a dotted lower-case name such as external.git.drift`, "kind");
  if (message === undefined || message === null)
    return refuse("message is missing: a non-empty sentence for people", "message");
  if (typeof message !== "string")
    return refuse(`message is ${inWords(message)}, but must be text: a non-empty sentence for people`, "message");
  if (message === "") return refuse("message is empty: write a sentence for people", "message");
  if (details !== undefined && details !== null && !isMapping(details))
    return refuse(`details is ${inWords(details)}, but must be an object`, "details");
  return { ok: true, error: raised(kind, message, isMapping(details) ? details : {}) };
}

/** Whether an agent's answer says of itself that it is an envelope, well formed or not. */
export const claimsToBeEnvelope = (value: unknown): boolean => isMapping(value) && value.conductor_error === true;

export type Outcome =
  | { readonly ok: true; readonly output: unknown; readonly changes?: AgentChanges | undefined }
  /** `output` is what the step produced before it raised; absent when there was none. */
  | {
      readonly ok: false;
      readonly error: Raised;
      readonly output?: unknown;
      readonly changes?: AgentChanges | undefined;
      /** The work had ended by itself: a timeout or a cancel that came later does not change how. */
      readonly isFinal?: boolean;
      /** Of an exit code that turns out to be data: why the output does not fit all the same. */
      readonly misfit?: Raised;
    };

/** What an agent that works in a folder changed there: beside its output, which is what it answered. */
export interface AgentChanges {
  /** By its path alone where a scenario says no more of a file. */
  readonly files: readonly (AgentFileChange | string)[];
  readonly added: number;
  readonly removed: number;
  /** There were more files in the folder than are looked at. */
  readonly incomplete?: true | undefined;
  /** Read as `<step>.denied`. Absent: nothing was denied. */
  readonly denied?: readonly AgentDenial[] | undefined;
}

/** Something that an agent asked for, or tried, and was not allowed. */
export interface AgentDenial {
  readonly what: string;
  /** A person, or `policy`: the sandbox did not allow it and no person was asked. */
  readonly by: string;
  /** ISO time. */
  readonly at: string;
}

export interface AgentFileChange {
  /** Relative to the agent's folder. */
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
  /** Null where lines were not counted: a large file, or no text. */
  readonly added: number | null;
  readonly removed: number | null;
}

export const succeeded = (output: unknown, changes?: AgentChanges): Outcome =>
  changes === undefined ? { ok: true, output } : { ok: true, output, changes };

export const failed = (error: Raised, output?: unknown, changes?: AgentChanges): Outcome => ({
  ok: false,
  error,
  ...(output === undefined ? {} : { output }),
  ...(changes === undefined ? {} : { changes }),
});

/** `code` says which code it is: "`execute` of the step type shout". */
export const ownCodeFault = (code: string, message: string, problem?: unknown): Raised =>
  raised("internal.step_error", message, {
    exception_type: problem instanceof Error ? problem.name : null,
    own_code: code,
  });

/** Thrown where such a mistake has to cross code that knows nothing of it; becomes the step's error as it is. */
export class OwnCodeFault extends Error {
  constructor(readonly raised: Raised) {
    super(raised.message);
    this.name = "OwnCodeFault";
  }
}
