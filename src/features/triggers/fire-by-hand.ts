// `segno triggers fire`, and the page: a user fires a trigger without the event that would set it off.

import { fractionsAsTexts } from "../../base/json/bounded.ts";
import type { Result } from "../../base/results/index.ts";
import { withProjectPeople } from "../../services/project/people-of-run.ts";
import type { Project } from "../../services/project/read-project.ts";
import { isTrusted } from "../../services/project/trust.ts";
import { projectHere } from "../../services/project/trust-project.ts";
import { BY_TRIGGER } from "../../services/reading/read-run.ts";
import { refusal, UnknownRun, withRefusals } from "../../services/refusals.ts";
import type { DriveListeners } from "../../services/request.ts";
import { runWorkflow } from "../../services/runs/run.ts";
import { actingPerson } from "../../services/session/people.ts";
import { programName } from "../../services/session/program-name.ts";
import type { Session } from "../../services/session/session.ts";
import { findRun, nowOf, withStore } from "../../services/session/store.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { StoredRun } from "../../storage/store.ts";
import { changedAsText, type EndedRun, inputsOf, type TriggerContext, UnreadableTrigger } from "./context.ts";
import { asGivenInputs, whyNot } from "./fire.ts";
import { firingsOfTrigger, placeOf, sessionOfFirings, withFirings } from "./firings.ts";
import { concealing, type KnownTrigger, triggerNamed, unreadableText } from "./known-trigger.ts";

export interface FireRequest {
  readonly name: string;
  readonly now: number;
  /** What stands for the body of a webhook. */
  readonly body?: unknown;
  /** The same, with a text in place of each number that does not print as it is written; guessed from the body when left out. */
  readonly writtenBody?: unknown;
  /** What stands for the run that ended: its id, or the beginning or end of it. */
  readonly run?: string;
  /** How the caller gives what a template reads and was not given; options of the command line when left out. */
  readonly give?: { readonly body: string; readonly run: string };
}

const OPTIONS = {
  body: "--body FILE gives, as JSON, what the webhook would bring.",
  run: "It reads the run that ended: --run RUN names one",
};

/** Fires by hand, and drives the run here. It is recorded like any other firing, but waits for none and is skipped for none. */
export const fireTrigger = (session: Session, request: FireRequest, listeners: DriveListeners = {}): Promise<Result> =>
  withRefusals(session, async () => {
    const project = trustedHere(session);
    const trigger = triggerNamed(request.name, project);
    const { runId, inputs, changed, firedBy } = await recordedByHand(trigger, session, request, { isClaimed: true });
    const result = await runWorkflow(
      { ...session, cwd: project.dir },
      {
        file: trigger.file,
        inputs: asGivenInputs(inputs, changed),
        runId,
        origin: { startedBy: `${BY_TRIGGER}${trigger.name}`, firedBy },
      },
      listeners,
    );
    const began = result.status !== "invalid" && result.run_id !== null;
    await withFirings(session, (firings) =>
      result.status === "paused"
        ? firings.wait(runId)
        : firings.settle(
            runId,
            began ? "ended" : "failed",
            began ? result.status : whyFailed(trigger, result, session),
          ),
    );
    return result;
  });

/** Where a server drives the triggers: the firing is recorded, and the server starts its run. Gives the run's id. */
export async function leaveFiring(session: Session, request: FireRequest): Promise<string> {
  const project = trustedHere(session);
  const trigger = triggerNamed(request.name, project);
  return (await recordedByHand(trigger, session, request, { isClaimed: false })).runId;
}

function trustedHere(session: Session): Project {
  const project = projectHere(session);
  if (isTrusted(project, session)) return project;
  throw refusal("the project is not trusted, so its triggers do not act", {
    hint: `${programName(session.env)} trust shows what would be executed or sent, and asks.`,
  });
}

async function recordedByHand(
  trigger: KnownTrigger,
  session: Session,
  request: FireRequest,
  { isClaimed }: { isClaimed: boolean },
) {
  const ended = await endedRun(trigger, session, request);
  const firedBy = actingPerson(withProjectPeople(session, trigger.file));
  return withFirings(session, async (all, project, store) => {
    const firings = await firingsOfTrigger(all, trigger);
    const now = nowOf(store, request.now);
    const at = new Date(now).toISOString();
    const context = { name: trigger.name, fired_at: at, ...broughtBy(trigger, at, request), ...ended };
    const inputs = inputsByHand(trigger, context, session, request);
    const made = { runId: newRunId(now), inputs, changed: changedAsText(trigger, context), firedBy };
    const place = placeOf(all, trigger);
    const refused = isClaimed
      ? undefined
      : whyNot(trigger, { ...made, place, brought: context }, sessionOfFirings({ session, project }));
    if (refused) throw refusal(`the trigger ${trigger.name} cannot be fired: ${refused.reason}`);
    const cause = { by: "hand", person: firedBy, name: trigger.name, fired_at: at, ...ended };
    const body = { inputs: made.inputs, cause };
    await firings.record({ runId: made.runId, trigger: trigger.id, at: now, marks: [], depth: 0, body });
    if (isClaimed) await firings.claim(made.runId);
    return made;
  });
}

const whyFailed = (trigger: KnownTrigger, { error }: Result, { env }: Pick<Session, "env">): string | undefined =>
  error === null ? undefined : concealing(trigger, env).text(error);

/** What a moment or a delivery would have brought. A body may stand for one of any trigger, as its templates may ask. */
const broughtBy = (
  { schedule, webhook }: KnownTrigger,
  at: string,
  { body, writtenBody = body === undefined ? undefined : fractionsAsTexts(body) }: FireRequest,
): Partial<TriggerContext> => ({
  ...(schedule === undefined ? {} : { scheduled_at: at }),
  ...(webhook ? { headers: {} } : {}),
  ...(body === undefined ? {} : { body, writtenBody }),
});

/** A user who fires by hand gets an error about what was not given. */
function inputsByHand(
  trigger: KnownTrigger,
  context: TriggerContext,
  { env }: Session,
  { give = OPTIONS }: FireRequest,
): Record<string, unknown> {
  try {
    return inputsOf(trigger, context);
  } catch (problem) {
    if (!(problem instanceof UnreadableTrigger)) throw problem;
    const why = concealing(trigger, env, context).text(unreadableText(problem, trigger));
    throw refusal(`the trigger ${trigger.name} cannot be fired: ${why}`, {
      ...(trigger.webhook ? { hint: give.body } : {}),
      ...(trigger.on_run ? { hint: `${give.run}, of ${trigger.on_run.workflow} for instance.` } : {}),
    });
  }
}

/** Any run that has ended: as with `when`, firing by hand does not check whether the trigger would have fired. */
async function endedRun(
  trigger: KnownTrigger,
  session: Session,
  { run }: FireRequest,
): Promise<{ readonly run?: EndedRun }> {
  if (run === undefined) return {};
  if (!trigger.on_run) throw refusal(`the trigger ${trigger.name} follows no run, so none can be named for it`);
  return withStore(session, async (store) => {
    const runId = await findRun(store, run);
    const found = runId === undefined ? undefined : await store.summary(runId);
    if (!found) throw new UnknownRun(run, session.reader);
    const ended = endOf(found);
    if (!ended)
      throw refusal(`run ${found.runId} has not ended (${found.status}), and the trigger is for runs that have`);
    return { run: ended };
  });
}

/** Nothing while the run goes on or waits for a person. */
export const endOf = ({ runId, workflow, status, failingKind, ended }: StoredRun): EndedRun | undefined =>
  ended !== null && status !== "running" && status !== "paused" && status !== "queued"
    ? { run_id: runId, workflow, status, kind: failingKind, ended_at: ended }
    : undefined;
