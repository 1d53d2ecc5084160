// Parts of a step's panel: its lines in the file, its visits, and what people answered.

import { visitNumber } from "../../events/key.ts";
import { LEFT_RUNNING } from "../../events/run-end.ts";
import type { RunState, RunStatus } from "../../events/state/state.ts";
import type { Driven } from "../../events/visits/cut-off.ts";
import { isRecovered } from "../../events/visits/handled.ts";
import { askedIn, type RecordedAnswer } from "../../events/visits/recorded.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { type Redactor, redactSourceLine } from "../../redact/index.ts";
import { gateId } from "../commands/gates-shown.ts";
import { shownPath } from "../session/shown-path.ts";

// A step as it stands in its file: its lines, as they were when the run was driven.

export interface StepYaml {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const MOST_LINES = 400;

export function stepYaml(workflow: LoadedWorkflow, node: string, cwd: string, redactor: Redactor): StepYaml | null {
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
  return { file: shownPath(file, cwd), line, text: redactor.text(own.map(redactSourceLine).join("\n")) };
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

// One visit in a list of visits: how it stands, and when it began and ended.

export interface ShownVisit {
  readonly key: string;
  readonly visit: number;
  readonly item_key: string | null;
  readonly status: "running" | "completed" | "failed" | "recovered" | "cancelled" | "cut_off" | "paused" | "reused";
  readonly attempts: number;
  readonly began_at: string | null;
  readonly ended_at: string | null;
  readonly kind: string | null;
  readonly drive: number;
}

export function shownVisit(visit: VisitRecord, status: RunStatus, driven: Driven): ShownVisit {
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

function statusNow(visit: VisitRecord, status: RunStatus, driven: Driven): ShownVisit["status"] {
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

// What people were asked on a visit, and what they answered: who did, when, and to what.

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
