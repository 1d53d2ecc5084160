// What each address does: asks a service and puts what it gives in the contract's form. No decisions are made here.
import type { Result } from "../results/index.ts";
import { ofRunsBelow } from "../services/access/roots.ts";
import { gatesShown } from "../services/commands/gates-shown.ts";
import { explainRun } from "../services/explain/index.ts";
import { type BreakerView, listBreakers } from "../services/governance/breakers.ts";
import { listLetters, showLetter } from "../services/letters/letters.ts";
import { whyNotRetried } from "../services/letters/view.ts";
import { listLimits } from "../services/limits/list-limits.ts";
import { Refused } from "../services/refusals.ts";
import { showRun } from "../services/runs/runs.ts";
import { spansOfRun } from "../services/trace/index.ts";
import { listTriggers, triggerHistory } from "../services/triggers/index.ts";
import { errorsAcrossRuns } from "../services/views/errors-across-runs.ts";
import { logPage } from "../services/views/log-page.ts";
import { snapshotOf } from "../services/views/snapshot.ts";
import { stepDetail } from "../services/views/step-detail.ts";
import { workersShown } from "../services/views/workers-shown.ts";
import { coverageOf, goInEditor, planOf, workflowShown, workflowsShown } from "../services/views/workflow-shown.ts";
import { putExample } from "../services/workflows/templates.ts";
import type { AddressName } from "./contract/addresses.ts";
import type { SessionNowJson } from "./contract/problem.ts";
import { type AddressCall, HISTORY_HANDLERS, type HttpHandler } from "./history-handlers.ts";
import { accepted, NotFound, refusedBy } from "./problems.ts";
import { forPage } from "./reader.ts";
import { type ServedRuns, serverTime } from "./served-runs.ts";

const one = (segments: AddressCall<"run">["segments"], name: string): string => segments[name]?.[0] ?? "";
const file = (segments: AddressCall<"run">["segments"]): string => (segments.file ?? []).join("/");

export const sessionNow = (serving: ServedRuns): SessionNowJson => ({
  person: serving.person,
  known_by: serving.session.person === undefined ? "machine" : "token",
  version: serving.version,
  read_only: serving.readOnly,
  fleet: serving.watched.store.fleet !== undefined,
  root: serving.root,
  preview: serving.preview !== undefined,
  server_time: serverTime(),
});

/** Sessions are opened at the door itself. */
export const HANDLERS: { readonly [Name in Exclude<AddressName, "openSession">]: HttpHandler<Name> } = {
  session: ({ serving }) => sessionNow(serving),

  runs: async ({ serving, query }) => ({ ...(await serving.list.page(query)), server_time: serverTime() }),
  run: async ({ serving, segments }) => {
    const run = await serving.watched.get(one(segments, "run"));
    return { ...(await snapshotOf(run, serving.watched, forPage(serving))), server_time: serverTime() };
  },
  result: async ({ serving, segments }) => {
    const run = await serving.watched.idOf(one(segments, "run"));
    return whole(await showRun(forPage(serving), { run }));
  },
  events: async ({ serving, segments, query }) => logPage(await serving.watched.get(one(segments, "run")), query),
  keyframes: async ({ serving, segments, query }) => {
    const run = await serving.watched.get(one(segments, "run"));
    const keyframes = serving.keyframesOf(run);
    await keyframes.catchUp();
    if (query.at === undefined) return { last_seq: run.position, every: keyframes.every, keyframes: keyframes.moments };
    const { keyframe, events, until } = keyframes.at(query.at);
    return { ...keyframe, events, until, last_seq: run.position };
  },
  step: async ({ serving, segments, query }) =>
    stepDetail(await serving.watched.get(one(segments, "run")), serving.watched, {
      ...query,
      step: segments.step ?? [],
      session: serving.session,
    }),
  printed: async ({ serving, segments, query }) =>
    serving.printed.rows(await serving.watched.get(one(segments, "run")), query),
  printedFound: async ({ serving, segments, query }) =>
    serving.printed.find(await serving.watched.get(one(segments, "run")), query),
  explain: async ({ serving, segments, query }) => {
    const run = await serving.watched.idOf(one(segments, "run"));
    const failedItems = query.failed_items === "1";
    const answer = await explainRun(forPage(serving), { run, failedItems });
    if (!answer.success && answer.run === null) throw refusedBy(answer);
    return { run: answer.run, chapters: answer.chapters, resume: answer.resume, next: answer.next };
  },

  trace: async ({ serving, segments }) => {
    const run = await serving.watched.idOf(one(segments, "run"));
    const { run_id, trace_id, spans } = accepted(await spansOfRun(serving.session, { run }));
    return { run_id, trace_id, spans };
  },

  start: ({ serving, body: { max_iterations, ...body } }) =>
    serving.acts.start({ ...body, maxIterations: max_iterations }),
  resume: ({ serving, segments, body }) => {
    const { from, force, failed_items, changed_files, max_iterations, take_over, ...rest } = body;
    return serving.acts.resume({
      ...rest,
      run: one(segments, "run"),
      rerun: { from, force, failedItems: failed_items, changedFiles: changed_files },
      maxIterations: max_iterations,
      takeOver: take_over,
    });
  },
  cancel: ({ serving, segments, body }) => serving.acts.cancel(one(segments, "run"), body.seq),

  ...HISTORY_HANDLERS,

  errors: async ({ serving, query }) => ({
    ...(await errorsAcrossRuns(serving.list, serving.watched, query, serving.session)),
    server_time: serverTime(),
  }),
  gates: async ({ serving }) => {
    const left_out: string[] = [];
    const leftOut = (text: string): void => void left_out.push(text);
    const gates = await gatesShown(serving.watched, { ...serving.session, leftOut });
    return { gates, left_out, server_time: serverTime() };
  },
  answer: ({ serving, segments, body }) => serving.acts.answer({ ...body, gate: one(segments, "gate") }),

  letters: async ({ serving, query: { all, ...query } }) => {
    const answer = accepted(await listLetters(serving.session, { ...query, all: all === "1" }));
    const letters = await ofRunsBelow(answer.letters, [serving.root], serving.session);
    const whyNot = await whyNotRetried(serving.watched.store, letters);
    return {
      letters: letters.map((letter, index) => ({ ...letter, why_not: whyNot[index] ?? null })),
      server_time: serverTime(),
    };
  },
  letter: async ({ serving, segments }) => {
    const answer = await showLetter(serving.session, { id: one(segments, "letter") });
    if (!answer.success)
      throw new NotFound(answer.errors[0]?.message ?? "there is no such letter", answer.errors[0]?.hint);
    const [letter] = await ofRunsBelow(answer.letters, [serving.root], serving.session);
    if (!letter) throw new NotFound(`there is no dead letter ${one(segments, "letter")} of a run that is shown here`);
    const [why_not = null] = await whyNotRetried(serving.watched.store, [letter]);
    return { ...letter, why_not };
  },
  retry: ({ serving, body }) => serving.acts.retry(body),
  drop: async ({ serving, body }) => ({ letters: await serving.acts.drop(body) }),
  retryPlan: async ({ serving, body }) => ({ runs: await serving.acts.planOfRetry(body) }),

  limits: async ({ serving }) => {
    const { limits, resets } = accepted(await listLimits(serving.session));
    return { limits, resets, server_time: serverTime() };
  },
  breakers: async ({ serving }) => {
    const { breakers } = accepted(await listBreakers(serving.session));
    return { breakers: breakers.map(breaker), server_time: serverTime() };
  },
  reset: async ({ serving, segments, body }) => {
    const breakers = await serving.acts.reset(one(segments, "breaker"), body.opened_at);
    return { breakers: breakers.map(breaker), server_time: serverTime() };
  },

  workers: async ({ serving }) => ({ ...(await workersShown(serving.watched)), server_time: serverTime() }),

  triggers: async ({ serving: { session, drives } }) => {
    if (!drives) return { triggers: [], server_time: serverTime() };
    const { triggers } = accepted(await listTriggers({ ...session, cwd: drives.dir }, { now: Date.now() }));
    return { triggers, server_time: serverTime() };
  },

  triggerHistory: async ({ serving: { session, drives }, segments, query }) => {
    const name = one(segments, "trigger");
    if (!drives) throw new NotFound(`there is no trigger ${name}: this server stands in no trusted project`);
    const answer = accepted(await triggerHistory({ ...session, cwd: drives.dir }, { name, limit: query.limit }));
    const hindered = answer.warnings.map(({ message }) => message);
    return { firings: answer.firings, hindered, server_time: serverTime() };
  },
  pauseTrigger: async ({ serving: { triggerActs }, segments, body }) => ({
    triggers: await triggerActs.pause(one(segments, "trigger"), body.paused),
    server_time: serverTime(),
  }),
  fireTrigger: async ({ serving: { triggerActs, wakeTriggers }, segments, body }) => {
    const fired = await triggerActs.fire({ ...body, name: one(segments, "trigger") });
    wakeTriggers?.();
    return fired;
  },

  workflows: ({ serving }) => ({
    ...workflowsShown(serving.session, serving.checkedFiles),
    server_time: serverTime(),
  }),
  workflow: async ({ serving: { list, shownFiles }, segments, query }) =>
    (await workflowShown(file(segments), list, shownFiles, query.unless)) ?? { unchanged: true },
  coverage: async ({ serving: { shownFiles, session }, segments }) => coverageOf(file(segments), shownFiles, session),
  editor: async ({ serving: { preview, shownFiles, session }, segments, body }) => {
    if (preview === undefined) throw new NotFound("only the page of `segno graph --watch` leads to an editor");
    const shown = await goInEditor(file(segments), body, shownFiles, session);
    if (!shown) throw new NotFound(`there is no ${body.node ?? "place"} in ${file(segments)}`);
    return shown;
  },
  example: ({ serving, body }) => ({ file: putExample(body.name, serving.root) }),
  plan: async ({ serving, segments, body }) => planOf(file(segments), body.inputs, serving.session),
};

/** When an open one lets the next call through, as a time: a page's clock may be wrong. */
const breaker = (view: BreakerView): object => ({
  ...view,
  next_probe_at:
    view.retry_after_seconds === null ? null : new Date(Date.now() + view.retry_after_seconds * 1000).toISOString(),
});

/** A result of a run; what was refused is no result. */
function whole(result: Result): Result {
  if (result.status === "invalid" && result.execution === null) throw new Refused(result);
  return result;
}
