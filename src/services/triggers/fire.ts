// Firing: from a trigger and what set it off to one record in the store, which holds all that its run needs.
import type { Firing, FiringMark, Firings, NewFiring } from "../../hosts/firings.ts";
import { newRunId } from "../../hosts/run-id.ts";
import {
  changedAsText,
  inputsOf,
  isWanted,
  LONGEST_CHAIN,
  ownMark,
  renderedText,
  type TriggerContext,
  UnreadableTrigger,
} from "../../triggers/context.ts";
import type { GivenInput } from "../request.ts";
import type { RecordedLeftOut } from "./firings.ts";
import { type Concealing, type KnownTrigger, overlapOf, unreadableText } from "./known-trigger.ts";

/** The type that the workflow declares decides. `changed`: those that as texts are not what the author wrote. */
export const asGivenInputs = (
  inputs: Readonly<Record<string, unknown>>,
  changed: ReadonlySet<string> = new Set(),
): Record<string, GivenInput> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      typeof value === "object" || changed.has(name) ? { value } : { value, written: String(value) },
    ]),
  );

export interface Cause {
  readonly context: TriggerContext;
  readonly marks: readonly FiringMark[];
  /** Of `on_run`: who started the run that ended. They set this one off, so four_eyes excludes them here too. */
  readonly person?: string;
  /** Of `on_run`: who changed that run on its way. They cannot either. */
  readonly changedBy?: readonly string[];
  /** Of `on_run`: how many firings led to the run that ended. */
  readonly depth?: number;
  /** Why it is only recorded. */
  readonly skipped?: string;
  /** It stands for so many moments of a schedule. */
  readonly leftOut?: RecordedLeftOut;
}

export interface Fired {
  readonly firing: Firing;
  readonly isNew: boolean;
  /** Why it can make no run: the firing is recorded as failed. */
  readonly refused?: RefusedFiring;
}

/** Whose fault it is decides how a sender is answered: with its own, the same again would be refused again. */
export interface RefusedFiring {
  /** For those who run the project. The values of variables are hidden in it. */
  readonly reason: string;
  readonly fault: "sender" | "ours";
  /** What of the trigger does not fit: all that a sender learns. */
  readonly fields: readonly string[];
  /** What a sender can do about it. It has nothing of the delivery or of the environment. */
  readonly hint?: string;
}

export interface FiringWorld {
  readonly firings: Firings;
  readonly now: number;
  /** Why the workflow cannot be started with these inputs; `cell`: where the trigger says that this firing goes. */
  whyNot(
    trigger: KnownTrigger,
    inputs: Readonly<Record<string, unknown>>,
    changed: ReadonlySet<string>,
    cell: string | undefined,
  ): RefusedFiring | undefined;
  /** Hides what the environment put into a trigger. */
  concealing(trigger: KnownTrigger): Concealing;
  /** Called with each that is recorded here. */
  recorded?(runId: string): void;
  /** Called with each firing that makes no run for that. */
  refused(trigger: KnownTrigger, reason: string): void;
}

/** One record, also when other processes fire for the same cause. */
export async function fire(world: FiringWorld, trigger: KnownTrigger, cause: Cause): Promise<Fired> {
  const { firings, now } = world;
  const waiting =
    cause.skipped === undefined &&
    overlapOf(trigger) === "skip" &&
    (await firings.list({ trigger: trigger.id, status: "waits", limit: 1 })).length > 0;
  const skipped = waiting ? "the run before it waits for a person (overlap: skip)" : cause.skipped;
  const { refused, ...made } = newFiring(trigger, { ...cause, ...(skipped === undefined ? {} : { skipped }) }, world);
  const recorded = await firings.record({ ...made, at: now, ...(refused ? { refused: refused.reason } : {}) });
  if (recorded.isNew) world.recorded?.(recorded.firing.runId);
  if (!refused || !recorded.isNew) return recorded;
  world.refused(trigger, refused.reason);
  return { ...recorded, refused };
}

type Made = Omit<NewFiring, "at" | "refused"> & { readonly refused?: RefusedFiring };

function newFiring(
  trigger: KnownTrigger,
  { context, marks, person, changedBy = [], depth = 0, skipped, leftOut }: Cause,
  { now, whyNot, concealing }: FiringWorld,
): Made {
  const overlap = overlapOf(trigger);
  const base = {
    runId: newRunId(now),
    trigger: trigger.id,
    marks,
    depth,
    ...(overlap === "skip" ? { skipIfBusy: "the run before it has not ended (overlap: skip)" } : {}),
  };
  const { body: _, writtenBody: _written, headers: _headers, ...rest } = context;
  const about = {
    ...rest,
    ...(person === undefined ? {} : { person }),
    ...(changedBy.length > 0 ? { changed_by: changedBy } : {}),
    ...(leftOut ? { left_out: leftOut } : {}),
  };
  const only = (reason: string) => ({ ...base, skipped: reason, body: { cause: about } });
  // A delivery that was refused is not known again: once the cause is mended, the same one is taken.
  const refused = (why: RefusedFiring): Made => ({
    ...base,
    marks: trigger.webhook ? [] : marks,
    refused: why,
    body: { cause: about },
  });
  if (skipped !== undefined) return only(skipped);
  if (depth >= LONGEST_CHAIN)
    return only(`it would be the ${depth + 1}th run of a chain; chains end at ${LONGEST_CHAIN}`);
  try {
    if (!isWanted(trigger, context)) return only("`when` is false");
    const { concurrency } = trigger;
    const own = ownMark(trigger, context);
    const group = concurrency
      ? {
          key: `${trigger.id}:${renderedText(["concurrency", "key"], concurrency.key, context)}`,
          limit: concurrency.limit,
        }
      : overlap && { key: trigger.id, limit: 1 };
    const inputs = inputsOf(trigger, context);
    const cell = trigger.cell === undefined ? undefined : renderedText(["cell"], trigger.cell, context);
    const reason = whyNot(trigger, inputs, changedAsText(trigger, context), cell);
    if (reason) return refused(reason);
    return {
      ...base,
      marks: [...marks, ...(own === undefined ? [] : [{ name: `dedupe:${own}` }])],
      ...(group ? { group } : {}),
      ...(cell === undefined ? {} : { cell }),
      body: { inputs, cause: about },
    };
  } catch (problem) {
    if (!(problem instanceof UnreadableTrigger)) throw problem;
    const reason = concealing(trigger).text(unreadableText(problem, trigger));
    const { field, hint } = problem;
    return refused({ reason, fault: "sender", fields: [field], ...(hint === undefined ? {} : { hint }) });
  }
}
