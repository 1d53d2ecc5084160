// `segno triggers`: what a project's triggers are, when they fire next, what they fired, and pausing one.

import { plainEntry } from "../../base/results/entry.ts";
import { head, type ListHead } from "../../base/results/index.ts";
import type { Entry } from "../../base/results/result.ts";
import type { Project } from "../../services/project/read-project.ts";
import { isTrusted } from "../../services/project/trust.ts";
import { firesAt } from "../../services/project/trust-project.ts";
import { orRefused } from "../../services/refusals.ts";
import { shownPath } from "../../services/session/files.ts";
import { actingPerson } from "../../services/session/people.ts";
import type { Session } from "../../services/session/session.ts";
import { incompleteOf, nowOf } from "../../services/session/store.ts";
import type { Firing, Firings } from "../../storage/firings.ts";
import type { RunStore } from "../../storage/store.ts";
import { nextDue } from "./due.ts";
import {
  cellOfTrigger,
  firingsOfTrigger,
  leftOutOf,
  newestLeftOut,
  type RecordedLeftOut,
  reachedFirings,
  stateIfReached,
  withFirings,
} from "./firings.ts";
import { asWritten, type KnownTrigger, overlapOf, triggerNamed, triggersOf } from "./known-trigger.ts";

export interface TriggerView {
  readonly name: string;
  readonly workflow: string;
  /** When it fires, in words. */
  readonly fires: string;
  /** What sets it off. */
  readonly set_off_by: "schedule" | "webhook" | "run";
  /** On a fleet that is made of cells: the one that it belongs to. */
  readonly cell?: string;
  /** null: its cell did not answer, so nothing is known but what segno.yaml says. */
  readonly paused: boolean | null;
  readonly paused_by: string | null;
  readonly paused_at: string | null;
  /** Of a schedule; null when it is paused. */
  readonly next_at: string | null;
  readonly last: FiringView | null;
  /** Moments of a schedule that were missed and are neither fired nor recorded one by one: the newest record of such. */
  readonly left_out: (RecordedLeftOut & { readonly reason: string | null }) | null;
  readonly overlap: string | null;
  readonly catch_up: string | null;
  /** As they are written: templates of the trigger. */
  readonly when: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly dedupe: string | null;
  readonly concurrency: { readonly key: string; readonly limit: number } | null;
}

export interface FiringView {
  readonly trigger: string;
  /** null: it was skipped or refused, and made none. */
  readonly run_id: string | null;
  /** `fired`: its run is to start, or runs. `waits`: its run waits for a person, or runs after an answer. Others: over. */
  readonly status: Firing["status"];
  readonly fired_at: string;
  readonly ended_at: string | null;
  readonly reason: string | null;
  /** What set it off. */
  readonly cause: unknown;
}

export interface TriggersAnswer extends ListHead {
  /** Whether the project may act by itself: `segno trust`. */
  readonly trusted: boolean;
  readonly triggers: readonly TriggerView[];
}

export interface HistoryAnswer extends ListHead {
  /** Newest first. */
  readonly firings: readonly FiringView[];
}

export interface TriggersRequest {
  readonly now: number;
}

const NONE = { trusted: false, triggers: [] };

export const listTriggers = (session: Session, request: TriggersRequest): Promise<TriggersAnswer> =>
  orRefused(session, NONE, () =>
    withFirings(session, async (firings, project, store) => ({
      ...(await viewed(triggersOf(project), firings, { project, store }, session, request)),
      ...incompleteOf(store),
    })),
  );

export const showTrigger = (
  session: Session,
  request: TriggersRequest & { readonly name: string },
): Promise<TriggersAnswer> =>
  orRefused(session, NONE, () =>
    withFirings(session, async (firings, project, store) => {
      const trigger = triggerNamed(request.name, project);
      await firingsOfTrigger(firings, trigger);
      return viewed([trigger], firings, { project, store }, session, request);
    }),
  );

async function viewed(
  triggers: readonly KnownTrigger[],
  firings: Firings,
  { project, store }: { readonly project: Project; readonly store: RunStore },
  session: Session,
  request: TriggersRequest,
): Promise<TriggersAnswer> {
  const now = nowOf(store, request.now);
  const views = await Promise.all(
    triggers.map((trigger) => viewOf(trigger, firings, session, { ...request, now }, store)),
  );
  return { ...head(0), trusted: isTrusted(project, session), triggers: views };
}

async function viewOf(
  trigger: KnownTrigger,
  firings: Firings,
  { cwd }: Session,
  { now }: TriggersRequest,
  store: RunStore,
): Promise<TriggerView> {
  const { name, schedule, timezone, catch_up, file, when, inputs, dedupe, concurrency } = trigger;
  const cell = cellOfTrigger(firings, trigger);
  const { paused, pausing, last, leftOut } = await recordedOf(trigger, firings);
  const counted = leftOut && leftOutOf(leftOut);
  const next = schedule === undefined || paused !== false ? undefined : nextDue({ schedule, timezone }, now);
  return {
    name,
    workflow: shownPath(file, cwd),
    fires: firesAt(trigger),
    set_off_by: schedule !== undefined ? "schedule" : trigger.webhook ? "webhook" : "run",
    ...(cell === undefined ? {} : { cell }),
    paused,
    paused_by: pausing?.by ?? null,
    paused_at: pausing ? new Date(pausing.at).toISOString() : null,
    next_at: next === undefined ? null : new Date(next).toISOString(),
    last: last ? await firingView(last, store) : null,
    left_out: leftOut && counted ? { ...counted, reason: leftOut.reason } : null,
    overlap: overlapOf(trigger) ?? null,
    catch_up: schedule === undefined ? null : catch_up,
    // The environment was put into any of them: they are shown as they are written.
    ...asWritten(trigger, [], { when: when ?? null, inputs, dedupe: dedupe ?? null, concurrency: concurrency ?? null }),
  };
}

async function recordedOf(trigger: KnownTrigger, firings: Firings) {
  const own = await reachedFirings(firings, trigger);
  if (!own) return { paused: null };
  const { paused, pausing } = await own.state(trigger.id);
  const [last] = await own.list({ trigger: trigger.id, limit: 1 });
  const leftOut = trigger.schedule === undefined ? undefined : await newestLeftOut(own, trigger.id);
  return { paused, pausing, last, leftOut };
}

/** One that was skipped made no run, and of those that failed only one that a worker could not drive. */
async function firingView(firing: Firing, store: RunStore): Promise<FiringView> {
  const { runId, trigger, status, firedAt, endedAt, reason, isPlaced, body } = firing;
  const hasBegun = status !== "skipped" && (await store.summary(runId)) !== undefined;
  const hasRun = status !== "skipped" && (status !== "failed" || hasBegun);
  const waits = status === "fired" && !hasBegun && !isPlaced;
  return {
    trigger: trigger.slice(trigger.lastIndexOf("#") + 1),
    run_id: hasRun ? runId : null,
    status,
    fired_at: firedAt,
    ended_at: endedAt,
    reason: waits ? (reason ?? "its run waits for its turn") : reason,
    cause: body.cause ?? null,
  };
}

export interface HistoryRequest {
  /** All triggers of the project when left out. */
  readonly name?: string;
  readonly limit: number;
}

export const triggerHistory = (session: Session, request: HistoryRequest): Promise<HistoryAnswer> =>
  orRefused(session, { firings: [] }, () =>
    withFirings(session, async (firings, project, store) => {
      const wanted = request.name === undefined ? triggersOf(project) : [triggerNamed(request.name, project)];
      // Of the one that is asked for; of all, those of a cell that is away are left out.
      if (request.name !== undefined && wanted[0]) await firingsOfTrigger(firings, wanted[0]);
      const lists = await Promise.all(
        wanted.map(async (trigger) =>
          (await reachedFirings(firings, trigger))?.list({ trigger: trigger.id, limit: request.limit }),
        ),
      );
      const all = lists.flatMap((list) => list ?? []).sort((a, b) => (a.firedAt < b.firedAt ? 1 : -1));
      const shown = all.slice(0, request.limit).map((firing) => firingView(firing, store));
      const hindered = await hinderedOf(wanted, firings);
      return { ...head(0, [], hindered), firings: await Promise.all(shown), ...incompleteOf(store) };
    }),
  );

/** Those that the process driving the triggers could not fire. */
async function hinderedOf(triggers: readonly KnownTrigger[], firings: Firings): Promise<readonly Entry[]> {
  const entries = triggers.map(async (trigger) => {
    const hindered = (await stateIfReached(firings, trigger))?.hindered;
    if (hindered === undefined) return [];
    return [plainEntry({ message: `The trigger ${trigger.name} cannot be fired. ${hindered}`, owner: "environment" })];
  });
  return (await Promise.all(entries)).flat();
}

export interface PauseRequest extends TriggersRequest {
  readonly name: string;
  readonly paused: boolean;
}

/** What comes while it is paused is not caught up with. */
export const pauseTrigger = (session: Session, request: PauseRequest): Promise<TriggersAnswer> =>
  orRefused(session, NONE, () =>
    withFirings(session, async (firings, project, store) => {
      const trigger = triggerNamed(request.name, project);
      const own = await firingsOfTrigger(firings, trigger);
      await own.setPaused(trigger.id, request.paused, nowOf(store, request.now), actingPerson(session));
      return viewed([trigger], firings, { project, store }, session, request);
    }),
  );
