// Firing: from a trigger and what set it off to one record in the store, which holds all that its run needs.
import type { Firing, FiringMark, Firings, NewFiring } from "../../hosts/firings.ts";
import { newRunId } from "../../hosts/run-id.ts";
import {
  inputsOf,
  isWanted,
  LONGEST_CHAIN,
  renderedText,
  type TriggerContext,
  UnreadableTrigger,
} from "../../triggers/context.ts";
import type { GivenInput } from "../request.ts";
import { type KnownTrigger, overlapOf } from "./known-trigger.ts";

/** A number or a boolean may be a text that looks like one: the type that the workflow declares decides. */
export const asGivenInputs = (inputs: Readonly<Record<string, unknown>>): Record<string, GivenInput> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      typeof value === "number" || typeof value === "boolean" ? { text: String(value) } : { value },
    ]),
  );

export interface Cause {
  readonly context: TriggerContext;
  readonly marks: readonly FiringMark[];
  /** Of `on_run`: how many firings led to the run that ended. */
  readonly depth?: number;
  /** Why it is only recorded. */
  readonly skipped?: string;
}

export interface Fired {
  readonly firing: Firing;
  readonly isNew: boolean;
}

/** One record, whoever else fires for the same cause. */
export async function fire(firings: Firings, trigger: KnownTrigger, cause: Cause, now: number): Promise<Fired> {
  return firings.record({ ...newFiring(trigger, cause, now), at: now });
}

function newFiring(
  trigger: KnownTrigger,
  { context, marks, depth = 0, skipped }: Cause,
  now: number,
): Omit<NewFiring, "at"> {
  const overlap = overlapOf(trigger);
  const base = {
    runId: newRunId(now),
    trigger: trigger.id,
    marks,
    depth,
    ...(overlap === "skip" ? { skipIfBusy: "the run before it has not ended (overlap: skip)" } : {}),
  };
  const { body: _, headers: _headers, ...about } = context;
  const only = (reason: string) => ({ ...base, skipped: reason, body: { cause: about } });
  if (skipped !== undefined) return only(skipped);
  if (depth >= LONGEST_CHAIN)
    return only(`it would be the ${depth + 1}th run of a chain; chains end at ${LONGEST_CHAIN}`);
  try {
    if (!isWanted(trigger, context)) return only("`when` is false");
    const { dedupe, concurrency } = trigger;
    const same = dedupe === undefined ? "" : renderedText("dedupe", dedupe, context).trim();
    const group = concurrency
      ? { key: `${trigger.id}:${renderedText("concurrency.key", concurrency.key, context)}`, limit: concurrency.limit }
      : overlap && { key: trigger.id, limit: 1 };
    return {
      ...base,
      marks: [...marks, ...(same === "" ? [] : [{ name: `dedupe:${same}` }])],
      ...(group ? { group } : {}),
      body: { inputs: inputsOf(trigger, context), cause: about },
    };
  } catch (problem) {
    if (!(problem instanceof UnreadableTrigger)) throw problem;
    return only(problem.message);
  }
}
