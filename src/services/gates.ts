// Gates from outside the run: which ones wait, and answering one. An answer drives the run on.

import { whyNotBy } from "../engine/people/approval.ts";
import {
  type Answer,
  type Answerer,
  type GateOption,
  type GateQuestion,
  missingText,
  type Question,
  type QuestionItem,
  type QuestionList,
} from "../engine/people/ask.ts";
import { nearest } from "../errors/nearest.ts";
import { askerName, askerNames, distinctAskerNames } from "../events/asker-name.ts";
import { realClock } from "../hosts/clock.ts";
import type { OpenQuestion } from "../hosts/shared-state.ts";
import type { RunStore } from "../hosts/store.ts";
import { COMMAND_LINE, type Head, head, type Reader, type Result } from "../results/index.ts";
import { actingPerson } from "./acting-person.ts";
import { answering } from "./answering.ts";
import { lastDefinition } from "./explain/definition.ts";
import { furtherDrive } from "./fleet/fleet-request.ts";
import { stateToShow } from "./read-run.ts";
import { redactorsOfRuns } from "./redactors-of-runs.ts";
import { DRIVEN, refusal } from "./refusals.ts";
import type { Driving, Surroundings } from "./request.ts";
import { resumeRun } from "./resume.ts";
import { showRun } from "./runs.ts";
import { fleetOf, reading, withStore } from "./store.ts";

interface GateView {
  readonly run_id: string;
  readonly workflow: string | null;
  readonly node_id: string;
  /** What to answer it by: `each[eu]`, `release/approve`. */
  readonly name: string;
  readonly key: string;
  readonly presented_at: string;
  readonly prompt: string;
  readonly options: readonly GateOption[];
  readonly questions?: readonly QuestionItem[];
  /** Until when an answer counts. */
  readonly deadline?: string;
  /** Whose counts. */
  readonly approvers?: readonly string[];
}

export interface GatesAnswer extends Head {
  readonly gates: readonly GateView[];
}

export const listGates = (request: Surroundings): Promise<GatesAnswer> =>
  answering(
    request,
    () =>
      withStore(request, async (store) => {
        const pending = await store.state.gates.pending();
        const redactorOf = redactorsOfRuns(store, request);
        const names = namesInRuns(pending);
        const gates = pending.map(async (gate) => {
          const redactor = await redactorOf(gate.runId);
          return redactor.value(await gateView(gate, names(gate), store)) as GateView;
        });
        return { ...head(0), gates: await Promise.all(gates) };
      }),
    (result) => ({ ...result, gates: [] }),
  );

/** What each is called among those that wait in its run. */
function namesInRuns(pending: readonly OpenQuestion[]): (gate: OpenQuestion) => string {
  const byRun = new Map<string, ReadonlyMap<string, string>>();
  for (const runId of new Set(pending.map((gate) => gate.runId)))
    byRun.set(runId, distinctAskerNames(pending.filter((gate) => gate.runId === runId).map(({ key }) => key)));
  return ({ runId, key }) => byRun.get(runId)?.get(key) ?? key;
}

async function gateView(
  { runId, key, presented, question }: OpenQuestion,
  name: string,
  store: RunStore,
): Promise<GateView> {
  const asked = question as Question;
  return {
    run_id: runId,
    workflow: (await store.summary(runId))?.workflow ?? null,
    node_id: asked.node,
    name,
    key,
    presented_at: presented,
    prompt: asked.prompt ?? "",
    options: asked.kind === "gate" ? asked.options : [],
    ...(asked.kind === "questions" ? { questions: asked.questions } : {}),
    ...(asked.kind !== "dialog" && asked.deadline !== undefined ? { deadline: asked.deadline } : {}),
    ...(asked.kind !== "dialog" && asked.approvers !== undefined ? { approvers: asked.approvers } : {}),
  };
}

export interface GateAnswerRequest extends Driving {
  readonly run: string;
  readonly value: string;
  /** Which one, when there is more than one: its name, or any other that only it has. */
  readonly gate?: string;
  /** Texts that the option asks for; for questions, the answers by id. */
  readonly inputs: Readonly<Record<string, string>>;
  /** How the answer comes: `mcp:CLIENT`, `library`; the command line when left out. */
  readonly via?: string;
  /** Who they say they are. Recorded as that: who they are the operating system says. */
  readonly as?: string;
}

export const answerGate = (request: GateAnswerRequest): Promise<Result> =>
  answering(request, async () => {
    const runId = await withStore(request, (store) => record(store, request));
    if (fleetOf(request) !== undefined) return withStore(request, (store) => followed(store, runId, request));
    const result = await resumeRun({ ...request, target: runId, inputs: {} });
    // Somebody drives the run right now: it hears the answer by itself, and the result is how the run is then.
    if (result.errors[0]?.error_type !== DRIVEN) return result;
    return { ...(await showRun({ ...request, run: runId })), success: true, exit_code: 0 };
  });

/** The answer and the next drive were placed together: the run is followed from there. */
const followed = (store: RunStore, runId: string, request: GateAnswerRequest): Promise<Result> =>
  reading(store, runId, async (reader) => {
    const { followOnFleet } = await import("./fleet/follow.ts");
    const { state, redactor } = await stateToShow(reader, request);
    const { root } = await lastDefinition(reader, state, request);
    const workflow = root ? { workflow: root } : {};
    return followOnFleet(store, store.fleet!, { runId, redactor, ...workflow, after: state.seq }, request);
  });

/** Keeps the answer for whoever drives the run, and gives the run's id. */
async function record(store: RunStore, request: GateAnswerRequest): Promise<string> {
  const { reader = COMMAND_LINE } = request;
  const runId = await store.findRun(request.run);
  if (!runId)
    throw refusal(`there is no run ${request.run}. \`${reader.ask({ to: "list gates" })}\` shows what waits.`);
  const pending = await store.state.gates.pending(runId);
  const nameOf = namesInRuns(pending);
  const named = (gates: readonly OpenQuestion[]): string => gates.map(nameOf).join(", ");
  const fitting = called(request.gate, pending);
  const [gate] = fitting;
  if (!gate)
    throw refusal(
      pending.length === 0
        ? nothingWaits(runId, (await store.summary(runId))?.status, reader)
        : `the gate ${request.gate} does not wait for an answer. What waits: ${named(pending)}`,
      { runId, suggestions: nearest(request.gate ?? "", pending.map(nameOf)) },
    );
  if (fitting.length > 1)
    throw refusal(`several gates wait: ${named(fitting)}. Say which with ${reader.give({ what: "gate" })}.`, { runId });
  const late = tooLate(gate.question as Question, (request.extensions?.clock ?? realClock).now());
  if (late !== undefined)
    throw refusal(late, { runId, hint: `To go on without an answer: ${reader.ask({ to: "resume", run: runId })}` });
  const answer = answerFor(gate.question as Question, request);
  if ("problem" in answer) throw refusal(answer.problem, { runId, suggestions: answer.suggestions });
  const heard = store.fleet
    ? await store.fleet.answer(runId, gate.key, answer, {
        request: furtherDrive({ ...request, inputs: {} }, undefined),
      })
    : await store.state.gates.answer(runId, gate.key, answer);
  if (heard !== "ok") throw refusal(`the gate ${nameOf(gate)} was answered already`, { runId });
  return runId;
}

/** Those that a name may mean: the more exact reading first, so that a key or a whole name is never taken for less. */
function called(name: string | undefined, pending: readonly OpenQuestion[]): readonly OpenQuestion[] {
  if (!name) return pending;
  const readings: ((key: string) => boolean)[] = [
    (key) => key === name,
    (key) => askerName(key) === name,
    (key) => askerNames(key).includes(name),
  ];
  for (const fits of readings) {
    const found = pending.filter(({ key }) => fits(key));
    if (found.length > 0) return found;
  }
  return [];
}

const nothingWaits = (runId: string, status: string | undefined, reader: Reader): string =>
  status === "paused"
    ? `the question that the run ${runId} is paused at is not in the store any more, as when state.db was lost. ${reader.ask({ to: "resume", run: runId })} asks it again`
    : `no gate of the run ${runId} waits for an answer`;

/** Whoever drives the run next lets the timeout count, so an answer now would be none. */
function tooLate(question: Question, now: number): string | undefined {
  if (question.kind === "dialog" || question.deadline === undefined || now < Date.parse(question.deadline))
    return undefined;
  return `${question.node} could be answered until ${question.deadline}, and its timeout has passed`;
}

type Checked = Answer | { readonly problem: string; readonly suggestions: readonly string[] };

function answerFor(question: Question, request: GateAnswerRequest): Checked {
  const { via: by = "cli", as: claims } = request;
  const person = actingPerson(request);
  const answerer: Answerer = { by, person, ...(claims === undefined ? {} : { claims }) };
  const refused = question.kind === "dialog" ? undefined : whyNotBy(question, answerer);
  if (refused !== undefined) return { problem: `the answer does not count: ${refused}`, suggestions: [] };
  switch (question.kind) {
    case "gate":
      return gateAnswer(question, request, answerer);
    case "questions":
      return questionsAnswer(question, request, answerer);
    case "dialog":
      return { kind: "dialog", text: request.value, ...answerer };
  }
}

function gateAnswer(
  { node, options }: GateQuestion,
  { value, inputs, reader = COMMAND_LINE }: GateAnswerRequest,
  answerer: Answerer,
): Checked {
  const values = options.map((option) => option.value);
  const chosen =
    options.find((option) => option.value === value) ??
    options.find((option) => option.label.toLowerCase() === value.toLowerCase());
  if (!chosen)
    return {
      problem: `${JSON.stringify(value)} is none of the options of ${node}: ${values.join(", ")}`,
      suggestions: nearest(value, values),
    };
  const stray = Object.keys(inputs).find((name) => name !== chosen.prompt_for);
  if (stray)
    return {
      problem: chosen.prompt_for
        ? `${chosen.value} asks for ${chosen.prompt_for}, not for ${stray}`
        : `${chosen.value} asks for no text, and ${stray} was given`,
      suggestions: chosen.prompt_for ? [chosen.prompt_for] : [],
    };
  const lacking = missingText(chosen, inputs);
  if (lacking)
    return {
      problem: `${chosen.value} asks for a text, ${lacking}: ${reader.give({ what: "answer", name: lacking })}`,
      suggestions: [],
    };
  return { kind: "gate", value: chosen.value, additional_input: inputs, ...answerer };
}

function questionsAnswer(
  { node, questions, allow_abort }: QuestionList,
  { value, inputs, reader = COMMAND_LINE }: GateAnswerRequest,
  answerer: Answerer,
): Checked {
  const aborts = value === "__abort__";
  if (aborts && !allow_abort) return { problem: `the questions of ${node} cannot be called off`, suggestions: [] };
  const ids = questions.map((one) => one.id);
  const stray = Object.keys(inputs).find((id) => !ids.includes(id));
  if (stray) return { problem: `there is no question ${stray}: ${ids.join(", ")}`, suggestions: nearest(stray, ids) };
  const answers = questions.map((one) => {
    // With a single question the value itself is the answer.
    const given = inputs[one.id] ?? (questions.length === 1 ? value : undefined) ?? one.default;
    return given === undefined || given.trim() === ""
      ? { id: one.id, answer: "", source: "skipped" as const }
      : {
          id: one.id,
          answer: given,
          source: one.choices?.includes(given) ? ("choice" as const) : ("free_text" as const),
        };
  });
  if (!aborts)
    for (const [index, one] of questions.entries()) {
      const given = answers[index];
      if (one.required && given?.source === "skipped")
        return {
          problem: `${one.id} must be answered (${one.text}): ${reader.give({ what: "answer", name: one.id })}`,
          suggestions: [],
        };
      if (!one.allow_free_text && given?.source === "free_text")
        return {
          problem: `${JSON.stringify(given.answer)} is none of the choices of ${one.id}: ${one.choices?.join(", ")}`,
          suggestions: nearest(given.answer, one.choices ?? []),
        };
    }
  return { kind: "questions", answers, outcome: aborts ? "aborted" : "completed", ...answerer };
}
