// Parts of a step's panel: its lines in the file, its visits, and what people answered.

import type { Envelope } from "../../../base/errors/index.ts";
import { slotOf, slotOfFrame, visitNumber } from "../../../base/events/key.ts";
import { LEFT_RUNNING } from "../../../base/events/run-end.ts";
import type { RunState, RunStatus } from "../../../base/events/state/state.ts";
import { askedIn, type RecordedAnswer } from "../../../base/events/visits/recorded.ts";
import { type Driven, isRecovered, letDownBy } from "../../../base/events/visits/verdicts.ts";
import type { RetryRecord, RouteReading, VisitRecord } from "../../../base/events/visits/visit-record.ts";
import { redactSourceLine } from "../../../base/redact/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import type { RouteRead, VisitStatus } from "../../../services/explain/story.ts";
import { routesRead } from "../../../services/explain/trouble.ts";
import { retryOf } from "../../../services/explain/visit-in-drive.ts";
import type { PinnedDefinition } from "../../../services/reading/definition.ts";
import { shownPath } from "../../../services/session/files.ts";
import { gateId } from "../commands/gates-shown.ts";

const MOST_LINES = 400;

export function stepYaml(workflow: LoadedWorkflow, node: string, cwd: string) {
  const path = workflow.pathOf(node);
  if (path.length === 0) return null;
  const { file, line, column } = workflow.positions.at(path);
  const source = workflow.sources.get(file);
  if (source === undefined) return null;
  const lines = source.split(/\r\n|\r|\n/).slice(line - 1);
  const [first = ""] = lines;
  const indent = indentOf(first);
  // The step inside a group begins with its first key, and its other keys stand below that; one of a list, or in braces,
  // has more indented lines alone.
  const isKeyBelowKey = column === indent + 1 && !/^\s*-/.test(first);
  const isOutside = (text: string): boolean => (isKeyBelowKey ? indentOf(text) < indent : indentOf(text) <= indent);
  const end = lines.findIndex((text, index) => index > 0 && text.trim() !== "" && isOutside(text));
  const own = lines.slice(0, end === -1 ? undefined : end).slice(0, MOST_LINES);
  while (own.at(-1)?.trim() === "") own.pop();
  return { file: shownPath(file, cwd), line, text: own.map(redactSourceLine).join("\n") };
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

export function shownVisit(visit: VisitRecord, status: RunStatus, driven: Driven) {
  const last = visit.attempts.at(-1);
  const reuse = visit.history?.reuses.at(-1);
  const isReused = reuse !== undefined && reuse.drive > (last?.drive ?? 0);
  return {
    key: visit.key,
    visit: visitNumber(visit.key),
    item_key: visit.itemKey ?? null,
    status: isReused ? "reused" : statusNow(visit, status, driven),
    attempts: last?.number ?? 0,
    began_at: visit.attempts[0]?.began?.at ?? reuse?.at ?? null,
    ended_at: last ? (last.ended?.at ?? null) : (reuse?.at ?? null),
    kind: last?.end === "failed" ? (visit.history?.errors.at(-1)?.error.kind ?? null) : null,
    drive: isReused ? reuse.drive : (last?.drive ?? 0),
  };
}

function statusNow(visit: VisitRecord, status: RunStatus, driven: Driven): VisitStatus {
  const last = visit.attempts.at(-1);
  if (last?.end === undefined) {
    if (last === undefined || last.drive < driven.drives.length || driven.isCutOff) return "cut_off";
    const left = LEFT_RUNNING[status];
    return left === "failed" ? "cut_off" : left;
  }
  switch (last.end) {
    case "ok":
      return "completed";
    case "cancelled":
      return "cancelled";
    case "failed":
      return isRecovered(visit, driven) ? "recovered" : "failed";
    default:
      return last.end satisfies never;
  }
}

/** What waits for an answer: the step's own question, or what its agent asks to be allowed. */
export function waitingQuestion(
  runId: string,
  { gates }: Pick<RunState, "gates">,
  visit: VisitRecord | undefined,
): Record<string, unknown> | null {
  const keys = visit ? [visit.key, ...(visit.history?.requests ?? []).map(({ key }) => key)] : [];
  const gate = keys.map((key) => gates.get(key)).find((one) => one !== undefined);
  if (!gate) return null;
  const { kind, prompt, options, questions } = gate;
  return { kind, prompt, options, questions, gate_id: gateId(runId, gate.key) };
}

export function shownAnswer(visit: VisitRecord | undefined) {
  if (!visit?.answer) return null;
  const at = visit.history?.answers.at(-1)?.at ?? null;
  const { answer } = visit;
  if (answer.kind === "questions") return shownAnswers(visit, answer, at);
  const { kind, question, selected, route, additional_input, answered_by } = answer;
  const { prompt = null, options = [] } = question ?? {};
  return { kind, question: { prompt, options }, selected, route, additional_input, answered_by, at };
}

/** The questions as they were asked, in their order, each with its answer: none yet, or none to this one, is null. */
function shownAnswers(
  { questions = new Map<string, string>() }: Pick<VisitRecord, "questions">,
  { kind, answers, outcome, answered_by }: Extract<RecordedAnswer, { readonly kind: "questions" }>,
  at: string | null,
) {
  const asked = [...questions].map(([id, text]) => {
    const given = answers[id]?.question === text ? answers[id] : undefined;
    return { ...askedIn(text), answer: given?.answer ?? null, source: given?.source ?? null };
  });
  return {
    kind,
    prompt: asked[0]?.prompt ?? null,
    questions: asked.map(({ question, answer, source }) => ({ ...question, answer, source })),
    outcome: outcome ?? null,
    answered_by: answered_by ?? null,
    at: outcome === undefined ? null : at,
  };
}

/** What an agent asked to be allowed, each request once: a drive that goes on asks what is open again. */
export function shownRequests(visit: VisitRecord | undefined) {
  const requests = visit?.history?.requests ?? [];
  const latest = new Map(requests.map((request) => [request.key, request]));
  return [...latest.values()].map(({ key, prompt, at, answer }) => ({
    prompt,
    asked_at: requests.find((first) => first.key === key && first.prompt === prompt)?.at ?? at,
    selected: answer?.option ?? null,
    answered_by: answer?.by ?? null,
    at: answer?.at ?? null,
  }));
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Of an attempt that a later one followed: its drive, at whose end it stood as it is shown. */
  readonly drive?: number;
}

export function errorSeen(
  visit: VisitRecord,
  { from, to, drive }: Stretch,
  driven: Driven,
  definition: PinnedDefinition,
  letter: string | null,
) {
  const { history } = visit;
  const within = <Fact extends { readonly seq: number }>(facts: readonly Fact[] = []): Fact | undefined =>
    facts.findLast(({ seq }) => seq >= from && seq < to);
  const raised = within(history?.errors);
  if (!raised) return null;
  const reading = within(history?.readings);
  const routed = reading?.routed;
  const recovery = within(history?.recoveries);
  const isTaken = recovery !== undefined || routed?.to !== undefined;
  return {
    seq: raised.seq,
    at: raised.at,
    error: raised.error,
    trail: trailOf(visit, raised.error, definition),
    routes: reading ? routesOf(visit, reading, within(visit.retries), definition) : [],
    ...(reading?.problem === undefined ? {} : { unreadable: reading.problem }),
    // Where a member of a group has no route to read, its group decides.
    action: routed?.action ?? (reading || visit.group !== undefined ? "unhandled" : "open"),
    to: routed?.to ?? null,
    by: routed?.route.table ?? null,
    recovered_by: recovery?.by ?? null,
    // The step that a route led to got to its end, or may yet.
    is_recovered: isTaken && letDownBy(visit, driven, drive) === undefined,
    letter,
    // The group that went on without it.
    went_on: routed === undefined && hasGoneOn(visit, raised.seq) ? (visit.group ?? null) : null,
  };
}

/** A member's group ended well after that, so it did without what was lost. */
function hasGoneOn({ group, history }: VisitRecord, seq: number): boolean {
  const last = group === undefined ? undefined : history?.parent?.attempts.at(-1);
  return last?.end === "ok" && (last.ended?.seq ?? 0) > seq;
}

/** @param retry the one that followed, if it was tried again */
function routesOf(
  visit: VisitRecord,
  reading: RouteReading,
  retry: RetryRecord | undefined,
  definition: PinnedDefinition,
): readonly (RouteRead & { readonly index: number })[] {
  const retries = retry ? [retryOf(retry)] : [];
  const read = routesRead({ path: visit.path, node: visit.node, reading, retries }, definition);
  return read.map((route, position) => ({ ...route, index: Number(reading.considered[position]?.index ?? position) }));
}

/** From where it was raised up to the visit: frames are innermost first, and name the steps that called. */
function trailOf(visit: VisitRecord, error: Envelope, definition: PinnedDefinition) {
  const { group, itemKey, node } = visit;
  const own = slotOf(node, group !== undefined && itemKey !== undefined ? { group, key: itemKey } : undefined);
  const callers = [...error.propagated].reverse();
  const slots = callers.map((caller, index) => (index === 0 ? own : slotOfFrame(caller)));
  const paths = callers.map((_, depth) => [...visit.path, ...slots.slice(0, depth)]);
  const deepest = [...visit.path, ...slots];
  const step = (workflow: string, name: string, path: readonly string[], item: string | null) => ({
    workflow,
    node: name,
    path,
    item,
    line: definition.step(path, name)?.location.line ?? null,
  });
  const itemOf = (depth: number): string | null => (depth === 0 ? itemKey : callers[depth]?.item_key) ?? null;
  return [
    step(error.raised_at.workflow, error.raised_at.node, deepest, itemThatRaised(visit, error)),
    ...callers.map((caller, index) => step(caller.workflow, caller.node, paths[index] ?? [], itemOf(index))).reverse(),
  ];
}

/** An error names the innermost item that it came from: of the step that raised it, or of one that called its workflow. */
function itemThatRaised({ group, itemKey }: VisitRecord, error: Envelope): string | null {
  const callers = error.propagated.filter((frame) => frame.group !== undefined).length;
  const isCallers =
    callers > 0
      ? (error.items?.length ?? 1) <= callers
      : // In runs of older versions callers do not say which item they were.
        error.propagated.length > 0 && error.group === group && error.item_key === itemKey;
  return isCallers ? null : (error.item_key ?? null);
}
