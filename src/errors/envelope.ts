// The one shape of every failure. `Raised` is what a failure site says; the engine stamps it into an `Envelope`
// when it knows where and on which attempt that happened.

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
