// `segno triggers`: what a project's triggers are, when they fire next, what they fired, and firing one by hand.
import type { Firing, Firings } from "../../hosts/firings.ts";
import { newRunId } from "../../hosts/run-id.ts";
import type { RunStore } from "../../hosts/store.ts";
import { plainEntry } from "../../results/entry.ts";
import { type Head, head, type Result } from "../../results/index.ts";
import type { Entry } from "../../results/result.ts";
import { type EndedRun, inputsOf, type TriggerContext, UnreadableTrigger } from "../../triggers/context.ts";
import { nextDue } from "../../triggers/due.ts";
import { actingPerson } from "../acting-person.ts";
import { answering } from "../answering.ts";
import { nowOf } from "../clock-of-store.ts";
import { withoutSecretsOf } from "../environment-redactor.ts";
import { findRun } from "../find-run.ts";
import { BY_TRIGGER } from "../first-start.ts";
import { amongPeopleOf } from "../people-of-run.ts";
import type { Project } from "../project/read-project.ts";
import { isTrusted } from "../project/trust.ts";
import { firesAt, projectHere } from "../project/trust-project.ts";
import { refusal, UnknownRun } from "../refusals.ts";
import type { Driving, Surroundings } from "../request.ts";
import { runWorkflow } from "../run.ts";
import { shownPath } from "../shown-path.ts";
import { withStore } from "../store.ts";
import { asWritten, concealing, unreadableText } from "./concealed.ts";
import { endOf } from "./ended-run.ts";
import { asGivenInputs } from "./fire.ts";
import { type KnownTrigger, overlapOf, triggerNamed, triggersOf } from "./known-trigger.ts";
import { leftOutOf, newestLeftOut, type RecordedLeftOut } from "./left-out.ts";
import { settleWaiting } from "./settle-waiting.ts";

export interface TriggerView {
  readonly name: string;
  readonly workflow: string;
  /** When it fires, in words. */
  readonly fires: string;
  readonly paused: boolean;
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
  readonly status: Firing["status"];
  readonly fired_at: string;
  readonly ended_at: string | null;
  readonly reason: string | null;
  /** What set it off. */
  readonly cause: unknown;
}

export interface TriggersAnswer extends Head {
  readonly trusted: boolean;
  readonly triggers: readonly TriggerView[];
}

export interface HistoryAnswer extends Head {
  readonly firings: readonly FiringView[];
}

export interface TriggersRequest extends Surroundings {
  readonly now: number;
}

const none = (result: Result): TriggersAnswer => ({ ...result, trusted: false, triggers: [] });

export const listTriggers = (request: TriggersRequest): Promise<TriggersAnswer> =>
  answering(
    request,
    () =>
      withFirings(request, (firings, project, store) =>
        viewed(triggersOf(project), firings, { project, store }, request),
      ),
    none,
  );

export const showTrigger = (request: TriggersRequest & { readonly name: string }): Promise<TriggersAnswer> =>
  answering(
    request,
    () =>
      withFirings(request, (firings, project, store) =>
        viewed([triggerNamed(request.name, project)], firings, { project, store }, request),
      ),
    none,
  );

async function viewed(
  triggers: readonly KnownTrigger[],
  firings: Firings,
  { project, store }: { readonly project: Project; readonly store: RunStore },
  request: TriggersRequest,
): Promise<TriggersAnswer> {
  const now = nowOf(store, request.now);
  const views = await Promise.all(triggers.map((trigger) => viewOf(trigger, firings, { ...request, now }, store)));
  return { ...head(0), trusted: isTrusted(project, request), triggers: views };
}

async function viewOf(
  trigger: KnownTrigger,
  firings: Firings,
  { cwd, env, now }: TriggersRequest,
  store: RunStore,
): Promise<TriggerView> {
  const { name, schedule, timezone, catch_up, file, when, inputs, dedupe, concurrency } = trigger;
  const { paused, pausing } = await firings.state(trigger.id);
  const [last] = await firings.list({ trigger: trigger.id, limit: 1 });
  const leftOut = schedule === undefined ? undefined : await newestLeftOut(firings, trigger.id);
  const counted = leftOut && leftOutOf(leftOut);
  const next = schedule === undefined || paused ? undefined : nextDue({ schedule, timezone }, now);
  return {
    name,
    workflow: shownPath(file, cwd),
    fires: firesAt(trigger),
    paused,
    paused_by: pausing?.by ?? null,
    paused_at: pausing ? new Date(pausing.at).toISOString() : null,
    next_at: next === undefined ? null : new Date(next).toISOString(),
    last: last ? withoutSecretsOf(env, await firingView(last, store)) : null,
    left_out: leftOut && counted ? { ...counted, reason: leftOut.reason } : null,
    overlap: overlapOf(trigger) ?? null,
    catch_up: schedule === undefined ? null : catch_up,
    // The environment was put into any of them: they are shown as they are written.
    ...withoutSecretsOf(
      env,
      asWritten(trigger, [], {
        when: when ?? null,
        inputs,
        dedupe: dedupe ?? null,
        concurrency: concurrency ?? null,
      }),
    ),
  };
}

/** One that was skipped made no run, and of those that failed only one that a worker could not drive. */
async function firingView(firing: Firing, store: RunStore): Promise<FiringView> {
  const { runId, status, reason, isPlaced } = firing;
  const hasBegun = status !== "skipped" && (await store.summary(runId)) !== undefined;
  const hasRun = status !== "skipped" && (status !== "failed" || hasBegun);
  const waits = status === "fired" && !hasBegun && !isPlaced;
  return shownFiring(waits ? { ...firing, reason: reason ?? "its run waits for its turn" } : firing, hasRun);
}

const shownFiring = (
  { runId, trigger, status, firedAt, endedAt, reason, body }: Firing,
  hasRun: boolean,
): FiringView => ({
  trigger: trigger.slice(trigger.lastIndexOf("#") + 1),
  run_id: hasRun ? runId : null,
  status,
  fired_at: firedAt,
  ended_at: endedAt,
  reason,
  cause: body.cause ?? null,
});

export interface HistoryRequest extends Surroundings {
  /** All triggers of the project when left out. */
  readonly name?: string;
  readonly limit: number;
}

export const triggerHistory = (request: HistoryRequest): Promise<HistoryAnswer> =>
  answering(
    request,
    () =>
      withFirings(request, async (firings, project, store) => {
        const wanted = request.name === undefined ? triggersOf(project) : [triggerNamed(request.name, project)];
        const lists = await Promise.all(wanted.map(({ id }) => firings.list({ trigger: id, limit: request.limit })));
        const all = lists.flat().sort((a, b) => (a.firedAt < b.firedAt ? 1 : -1));
        const shown = all.slice(0, request.limit).map((firing) => firingView(firing, store));
        const hindered = await hinderedOf(wanted, firings);
        return { ...head(0, [], hindered), firings: withoutSecretsOf(request.env, await Promise.all(shown)) };
      }),
    (result) => ({ ...result, firings: [] }),
  );

/** Those that whoever drives triggers could not fire. */
async function hinderedOf(triggers: readonly KnownTrigger[], firings: Firings): Promise<readonly Entry[]> {
  const states = await Promise.all(triggers.map(async ({ id, name }) => ({ name, ...(await firings.state(id)) })));
  return states.flatMap(({ name, hindered }) =>
    hindered === undefined
      ? []
      : [plainEntry({ message: `The trigger ${name} cannot be fired. ${hindered}`, owner: "environment" })],
  );
}

export interface PauseRequest extends TriggersRequest {
  readonly name: string;
  readonly paused: boolean;
}

/** What comes while it is paused is not caught up with. */
export const pauseTrigger = (request: PauseRequest): Promise<TriggersAnswer> =>
  answering(
    request,
    () =>
      withFirings(request, async (firings, project, store) => {
        const trigger = triggerNamed(request.name, project);
        await firings.setPaused(trigger.id, request.paused, nowOf(store, request.now), actingPerson(request));
        return viewed([trigger], firings, { project, store }, request);
      }),
    none,
  );

export interface FireRequest extends Driving {
  readonly name: string;
  readonly now: number;
  /** What stands for the body of a webhook. */
  readonly body?: unknown;
  /** What stands for the run that ended: its id, or the beginning or end of it. */
  readonly run?: string;
}

/** Fires by hand, and drives the run here. It is recorded like any other firing, but waits for none and is skipped for none. */
export const fireTrigger = (request: FireRequest): Promise<Result> =>
  answering(request, async () => {
    const project = projectHere(request);
    if (!isTrusted(project, request))
      throw refusal("the project is not trusted, so its triggers do not act", {
        hint: "segno trust shows what would be executed or sent, and asks.",
      });
    const trigger = triggerNamed(request.name, project);
    const ended = await endedRun(trigger, request);
    const firedBy = actingPerson(await amongPeopleOf(request, trigger.file));
    const { runId, inputs } = await withFirings(request, async (firings, _, store) => {
      const now = nowOf(store, request.now);
      const at = new Date(now).toISOString();
      const context = { name: trigger.name, fired_at: at, ...broughtBy(trigger, { at, body: request.body }), ...ended };
      const made = { runId: newRunId(now), inputs: inputsByHand(trigger, context, request) };
      const cause = { by: "hand", person: firedBy, name: trigger.name, fired_at: at, ...ended };
      const body = { inputs: made.inputs, cause };
      await firings.record({ runId: made.runId, trigger: trigger.id, at: now, marks: [], depth: 0, body });
      await firings.claim(made.runId);
      return made;
    });
    const result = await runWorkflow({
      ...request,
      cwd: project.dir,
      file: trigger.file,
      inputs: asGivenInputs(inputs),
      runId,
      startedBy: `${BY_TRIGGER}${trigger.name}`,
      firedBy,
    });
    const began = result.status !== "invalid" && result.run_id !== null;
    await withFirings(request, (firings) =>
      result.status === "paused"
        ? firings.wait(runId)
        : firings.settle(
            runId,
            began ? "ended" : "failed",
            began ? result.status : whyFailed(trigger, result, request),
          ),
    );
    return result;
  });

const whyFailed = (trigger: KnownTrigger, { error }: Result, { env }: Pick<Surroundings, "env">): string | undefined =>
  error === null ? undefined : concealing(trigger, env).text(error);

/** What a moment or a delivery would have brought. A body may stand for one of any trigger, as its templates may ask. */
const broughtBy = (
  { schedule, webhook }: KnownTrigger,
  { at, body }: { readonly at: string; readonly body: unknown },
): Partial<TriggerContext> => ({
  ...(schedule === undefined ? {} : { scheduled_at: at }),
  ...(webhook ? { headers: {} } : {}),
  ...(body === undefined ? {} : { body }),
});

/** Whoever fires by hand is there to be told what was not given. */
function inputsByHand(
  trigger: KnownTrigger,
  context: TriggerContext,
  { env }: Pick<Surroundings, "env">,
): Record<string, unknown> {
  try {
    return inputsOf(trigger, context);
  } catch (problem) {
    if (!(problem instanceof UnreadableTrigger)) throw problem;
    const why = concealing(trigger, env).text(unreadableText(problem, trigger));
    throw refusal(`the trigger ${trigger.name} cannot be fired: ${why}`, {
      ...(trigger.webhook
        ? { hint: "--body FILE gives, as JSON, what the webhook would bring." }
        : trigger.on_run
          ? { hint: `It reads the run that ended: --run RUN names one${ofWhat(trigger)}.` }
          : {}),
    });
  }
}

const ofWhat = ({ on_run }: KnownTrigger): string => (on_run ? `, of ${on_run.workflow} for instance` : "");

/** Any run that has ended: as with `when`, whoever fires by hand is not asked whether the trigger would have fired. */
async function endedRun(
  trigger: KnownTrigger,
  { run, reader, ...request }: FireRequest,
): Promise<{ readonly run?: EndedRun }> {
  if (run === undefined) return {};
  if (!trigger.on_run) throw refusal(`the trigger ${trigger.name} follows no run, so none can be named for it`);
  return withStore(request, async (store) => {
    const runId = await findRun(store, run);
    const found = runId === undefined ? undefined : await store.summary(runId);
    if (!found) throw new UnknownRun(run, reader);
    const ended = endOf(found);
    if (!ended)
      throw refusal(`run ${found.runId} has not ended (${found.status}), and the trigger is for runs that have`);
    return { run: ended };
  });
}

const withFirings = <Answer>(
  request: Surroundings,
  use: (firings: Firings, project: Project, store: RunStore) => Answer | Promise<Answer>,
): Promise<Answer> =>
  withStore(request, async (store) => {
    const { firings } = store.state;
    if (!firings) throw refusal("this store keeps no firings");
    await settleWaiting(store, firings);
    return use(firings, projectHere(request, { needsNoPlugin: true }), store);
  });
