// All that is known of one step: its visits, and of one of them each attempt with what was said, printed, used and raised.
import { visitNumber, withoutRounds } from "../../../base/events/key.ts";
import { goesOnAfterPause } from "../../../base/events/node-types.ts";
import { cutOff, membersInOrder, statusOf } from "../../../base/events/state/read.ts";
import type { RunState } from "../../../base/events/state/state.ts";
import { type Driven, pausedAt, wasCutOff } from "../../../base/events/visits/verdicts.ts";
import type { AttemptRecord, RetryRecord, VisitRecord } from "../../../base/events/visits/visit-record.ts";
import type { VisitStatus } from "../../../services/explain/story.ts";
import { PinnedDefinition } from "../../../services/reading/definition.ts";
import { whoDrives } from "../../../services/reading/queued-run.ts";
import { refusal } from "../../../services/refusals.ts";
import type { Session } from "../../../services/session/session.ts";
import { attemptLog } from "./attempt-log.ts";
import { definitionOf, frameWithin } from "./snapshot.ts";
import { errorSeen, shownAnswer, shownRequests, shownVisit, stepYaml, waitingQuestion } from "./step-shown.ts";
import { usedValues, visitFold, visitsAt } from "./step-visits.ts";
import type { WatchedRun } from "./watched-run.ts";
import type { WatchedRuns } from "./watched-runs.ts";

export interface StepWanted {
  /** Slots of the sub-workflows, and the node. */
  readonly step: readonly string[];
  readonly visit?: number;
  readonly item?: string;
  readonly key?: string;
  readonly at?: number;
  readonly session: Session;
}

const MOST_VISITS = 200;
const MOST_ITEMS = 200;
const MOST_ATTEMPTS = 50;

export async function stepDetail(run: WatchedRun, watched: WatchedRuns, query: StepWanted) {
  const { session, item, key, at } = query;
  const path = query.step.slice(0, -1);
  const node = query.step.at(-1) ?? "";
  const fold = await visitFold(run, at);
  const visits = visitsAt(fold, path, node, item);
  const visit = chosen(visits, query);
  const definition = await definitionFor(run, visit, session);
  const workflow = definition.at(path);
  const outlined = frameWithin(run.state.root, path)?.outline.nodes.find(({ name }) => name === node);
  if (visits.length === 0 && !outlined && !isKnown(workflow, node))
    throw refusal(`there is no step ${query.step.join("/")} in the run ${run.runId}`);
  if (key !== undefined && !visit) throw refusal(`there is no visit ${key} of ${query.step.join("/")}`);
  const letters = await watched.store.state.letters.list({ runId: run.runId });
  const letterOf = (one: VisitRecord): string | null =>
    letters.find(({ place }) => place === withoutRounds(one.key))?.id ?? null;
  const until = at ?? run.position;
  const isCutOff = until >= run.position && (await whoDrives(run, watched.store)).isCutOff;
  const driven: Driven = { drives: fold.drives, isCutOff };
  const shown = (one: VisitRecord) => shownVisit(one, run.state.status, driven);
  const attempts = visit ? await attemptsOf(run, driven, visit, until, definition, letterOf(visit)) : [];
  const began = visit?.attempts.at(-1)?.began?.seq;
  const values =
    workflow && began !== undefined
      ? await usedValues(run, fold, workflow, { path, node, seq: began, group: visit?.group, itemKey: visit?.itemKey })
      : [];
  return {
    run_id: run.runId,
    seq: until,
    path,
    node_id: node,
    type: visit?.type || outlined?.type || null,
    group: visit?.group ?? null,
    visits: visits.slice(-MOST_VISITS).map(shown),
    visit: visit ? shown(visit) : null,
    attempts,
    values,
    yaml: workflow && isKnown(workflow, node) ? stepYaml(workflow, node, session.cwd) : null,
    place: definition.step(path, node)?.location ?? null,
    question: waitingQuestion(run.runId, run.state, visit),
    answer: shownAnswer(visit),
    requests: shownRequests(visit),
    items: itemsOf(isCutOff ? cutOff(run.state) : run.state, path, node),
  };
}

function chosen(visits: readonly VisitRecord[], { key, visit }: StepWanted): VisitRecord | undefined {
  if (key !== undefined) return visits.find((one) => one.key === key);
  if (visit !== undefined) return visits.findLast((one) => visitNumber(one.key) === visit);
  const seqOf = ({ attempts, history }: VisitRecord): number =>
    Math.max(attempts.at(-1)?.began?.seq ?? 0, history?.reuses.at(-1)?.seq ?? 0);
  return visits.reduce<VisitRecord | undefined>(
    (latest, one) => (latest === undefined || seqOf(one) >= seqOf(latest) ? one : latest),
    undefined,
  );
}

/** The files as the visit's last drive saw them. */
async function definitionFor(
  run: WatchedRun,
  visit: VisitRecord | undefined,
  session: Session,
): Promise<PinnedDefinition> {
  const drive = visit?.attempts.at(-1)?.drive;
  const newest = await definitionOf(run, session);
  if (drive === undefined || drive === run.state.drives) return newest;
  const pinned = await run.reader.pinned(drive);
  return pinned.size === 0 ? newest : new PinnedDefinition(run.state.root.file, pinned, session);
}

const isKnown = (workflow: ReturnType<PinnedDefinition["at"]>, node: string): boolean =>
  (workflow?.pathOf(node).length ?? 0) > 0;

async function attemptsOf(
  run: WatchedRun,
  driven: Driven,
  visit: VisitRecord,
  until: number,
  definition: PinnedDefinition,
  letter: string | null,
) {
  const shown = [];
  const attempts = visit.attempts.filter(isNotGoneOnWith).slice(-MOST_ATTEMPTS);
  for (const [index, attempt] of attempts.entries()) {
    const later = attempts[index + 1];
    const from = attempt.began?.seq ?? attempt.ended?.seq ?? 1;
    const next = later?.began?.seq ?? until + 1;
    const log = await attemptLog(run, visit, from, attempt.ended?.seq ?? Math.min(next - 1, until));
    const retry = visit.retries.find(({ seq }) => seq >= from && seq < next);
    shown.push({
      attempt: attempt.number,
      drive: attempt.drive,
      seq: attempt.began?.seq ?? null,
      end_seq: attempt.ended?.seq ?? null,
      status: attemptStatus(attempt, driven, run, until),
      began_at: attempt.began?.at ?? null,
      ended_at: attempt.ended?.at ?? null,
      took_ms: tookMs(visit, attempt, driven),
      // Once more: it is folded when the attempt begins, and may hold what an output made known as a secret later.
      command: attempt.command ?? null,
      ...log,
      lens: errorSeen(
        visit,
        { from, to: next, drive: later && attempt.drive },
        driven,
        definition,
        later ? null : letter,
      ),
      retry: retry ? retryOf(retry) : null,
    });
  }
  return shown;
}

/** The same attempt stands in the list once a drive; the last of them tells how it went. */
const isNotGoneOnWith = ({ type, end, number }: AttemptRecord, index: number, all: readonly AttemptRecord[]): boolean =>
  !(goesOnAfterPause(type) && end === undefined && all[index + 1]?.number === number);

function attemptStatus({ end, drive }: AttemptRecord, driven: Driven, run: WatchedRun, until: number): VisitStatus {
  if (end !== undefined) return end === "ok" ? "completed" : end;
  if (driven.drives[drive - 1]?.end?.type === "run_paused") return "paused";
  if (wasCutOff(driven, drive)) return "cut_off";
  const isNow = drive === run.state.drives && (run.state.status === "running" || until < run.position);
  return isNow ? "running" : run.state.status === "cancelled" ? "cancelled" : "cut_off";
}

/** One that was cut off: until the last that is known of its drive. */
function tookMs(visit: VisitRecord, attempt: AttemptRecord, driven: Driven): number | null {
  const { began, ended, drive } = attempt;
  const leftAt = wasCutOff(driven, drive) ? driven.drives[drive - 1]?.lastAt : pausedAt(visit, attempt, driven.drives);
  const until = ended?.at ?? leftAt;
  return began && until !== undefined ? Math.max(0, Math.round(Date.parse(until) - Date.parse(began.at))) : null;
}

function retryOf({ scheduled }: RetryRecord) {
  const { until, attempt, nth = attempt, max = null, until_reset, delay_seconds, by = "route", via = null } = scheduled;
  return { until, attempt, nth, max, until_reset: until_reset === true, delay_seconds, by, via };
}

/** Of a for_each: its items, the failed ones first. */
function itemsOf(state: RunState, path: readonly string[], node: string) {
  const group = frameWithin(state.root, path)?.nodes.get(node)?.group;
  if (group?.kind !== "for_each") return [];
  const items = membersInOrder(group).map((item) => ({
    item_key: item.itemKey ?? "",
    index: item.index,
    key: item.key ?? "",
    status: statusOf(state, group, item),
    attempts: item.attempts,
    kind: item.error?.kind ?? null,
  }));
  const failed = items.filter(({ status }) => status === "failed");
  return [...failed, ...items.filter(({ status }) => status !== "failed")].slice(0, MOST_ITEMS);
}
