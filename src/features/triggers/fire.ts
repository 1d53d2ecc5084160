// Firing: from a trigger and what set it off to one record in the store, which holds all that its run needs; and
// whether its workflow can be started with that, before the sender gets an answer.

import { PUT_IN_QUOTES } from "../../base/json/bounded.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { inputsFor } from "../../services/drive/given-inputs.ts";
import { Refused } from "../../services/refusals.ts";
import type { GivenInput } from "../../services/request.ts";
import type { Session } from "../../services/session/session.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import type { Firing, FiringMark, Firings, NewFiring } from "../../storage/firings.ts";
import { newRunId } from "../../storage/run-index.ts";
import { cellOfWorkflow } from "../fleet/work/place.ts";
import {
  changedAsText,
  inputsOf,
  isLiteral,
  isWanted,
  LONGEST_CHAIN,
  ownMark,
  renderedText,
  type TriggerContext,
  UnreadableTrigger,
} from "./context.ts";
import type { FiringPlace, RecordedLeftOut } from "./firings.ts";
import {
  type Brought,
  type Concealing,
  concealing,
  isRendered,
  type KnownTrigger,
  overlapOf,
  unreadableText,
} from "./known-trigger.ts";

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
interface RefusedFiring {
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
    brought: Brought,
  ): RefusedFiring | undefined;
  /** Hides what the environment put into a trigger, and a delivery under secret-looking names. */
  concealing(trigger: KnownTrigger, brought: Brought): Concealing;
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
  const { refused, ...made } = newFiring(trigger, { ...cause, skipped }, world);
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
    const reason = whyNot(trigger, inputs, changedAsText(trigger, context), cell, context);
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
    const reason = concealing(trigger, context).text(unreadableText(problem, trigger));
    const { field, hint } = problem;
    return refused({ reason, fault: "sender", fields: [field], ...(hint === undefined ? {} : { hint }) });
  }
}

type Inputs = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly inputs: Inputs;
  readonly changed: ReadonlySet<string>;
  /** On a fleet that is made of cells. */
  readonly place?: FiringPlace;
  readonly brought?: Brought;
}

/** `changed`: the inputs that as texts would not be what the author wrote. */
export function whyNot(
  trigger: KnownTrigger,
  { inputs, changed, place, brought }: Wanted,
  session: Session,
  checked: (file: string) => LoadedWorkflow = (file) => validWorkflow(file, session),
): RefusedFiring | undefined {
  const { workflow: name } = trigger;
  const concealed = concealing(trigger, session.env, { ...brought, inputs });
  try {
    const workflow = checked(trigger.file);
    const resolve = (given: Inputs) => inputsFor(workflow, asGivenInputs(given, changed));
    const resolved = resolve(inputs);
    // A message quotes a value, perhaps cut: it is made anew from values without secrets.
    if (!resolved.ok) return whyNotInputs(trigger, concealed, resolved, resolve(concealed.value(inputs) as Inputs));
    const elsewhere = place && whyNotThere(place, cellOfWorkflow(workflow, resolved.inputs));
    if (elsewhere === undefined) return undefined;
    // What a delivery brings may have decided it.
    const fault = isRendered(trigger.cell) ? "sender" : "ours";
    return { reason: concealed.text(`${name} cannot be run: ${elsewhere}`), fault, fields: ["cell"] };
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { reason: concealed.text(`${name} cannot be run: ${problem.message}`), fault: "ours", fields: [] };
  }
}

function whyNotInputs(
  { workflow: name, inputs: said }: KnownTrigger,
  concealed: Concealing,
  resolved: Extract<ReturnType<typeof inputsFor>, { readonly ok: false }>,
  shown: ReturnType<typeof inputsFor>,
): RefusedFiring {
  const texts = resolved.problems.map(({ input }) => {
    const same = shown.ok ? undefined : shown.problems.find((problem) => problem.input === input);
    return same?.message ?? `the input ${input} does not fit`;
  });
  const isChanged = resolved.problems.some(({ hint }) => hint === PUT_IN_QUOTES);
  return {
    reason: concealed.text(
      `its inputs are not what ${name} takes: ${texts.join("; ")}${isChanged ? `. ${PUT_IN_QUOTES}` : ""}`,
    ),
    // What stands in the project's own file no sender can change.
    fault: resolved.problems.every(({ input }) => isLiteral(said[input])) ? "ours" : "sender",
    fields: resolved.problems.map(({ input }) => `inputs.${input}`),
    ...(isChanged ? { hint: PUT_IN_QUOTES } : {}),
  };
}

/** A firing and its run are in one cell. */
function whyNotThere({ cell, cells }: FiringPlace, wanted: string | undefined): string | undefined {
  if (!cells.includes(cell)) return `there is no cell ${cell}; there are ${cells.join(", ")}`;
  if (wanted === undefined || wanted === cell) return undefined;
  return `it wants the cell ${wanted}, and its trigger fires in ${cell}. Give the trigger the same \`cell\``;
}
