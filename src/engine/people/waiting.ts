// Waiting for a person: until a deadline that the journal holds, with reminders, for those whose answer counts.
import { createHmac } from "node:crypto";
import { type Raised, raised } from "../../base/errors/index.ts";
import type { HumanGateStep, QuestionsStep } from "../../language/schema/index.ts";
import { TimeLimit } from "../durable.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { WorkAttempt } from "../visit/work.ts";
import { whyNotBy } from "./approval.ts";
import type { Answer, Answerer, AskedAnew, Asking, GateQuestion, QuestionList, Waiting } from "./ask.ts";

type AskingStep = HumanGateStep | QuestionsStep;

/** The deadline of an earlier drive stands, however long the run was not driven. */
export async function waitingOf(frame: WorkflowFrame, step: AskingStep, key: string): Promise<Waiting> {
  const { engine } = frame;
  const { startedBy, changedBy = [] } = engine;
  const { timeout, approvers, four_eyes } = step;
  return {
    ...(await askedAnew(frame, key)),
    ...(timeout === undefined ? {} : { deadline: new Date(await deadlineOf(frame, key, timeout)).toISOString() }),
    ...(approvers ? { approvers: engine.people?.(approvers) ?? approvers } : {}),
    ...(four_eyes && startedBy !== undefined ? { not_by: startedBy } : {}),
    ...(four_eyes && changedBy.length > 0 ? { nor_by: changedBy } : {}),
    ...inputsAskedAbout(frame, step),
  };
}

/** The inputs of the run, and of the child that asks: people answer about them too. Keyed: some may be secret. */
export function inputsAskedAbout(frame: WorkflowFrame, { approvers, four_eyes }: AskingStep): Pick<Waiting, "about"> {
  if (!approvers && !four_eyes) return {};
  let root = frame;
  while (root.parent) root = root.parent;
  const hmac = createHmac("sha256", frame.engine.hashing.key);
  for (const { inputs } of root === frame ? [root] : [root, frame])
    hmac.update(`${JSON.stringify(Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1)))}\0`);
  return { about: hmac.digest("hex") };
}

async function deadlineOf(
  { engine: { durable }, reuse }: WorkflowFrame,
  key: string,
  seconds: number,
): Promise<number> {
  const recorded = reuse ? durable.recall.get(key)?.deadline : undefined;
  return recorded ?? (await durable.timed(() => undefined)).startedAt + seconds * 1000;
}

/** As the journal has it. */
export const shownWaiting = ({ approvers, nor_by, ...rest }: Waiting) => ({
  ...rest,
  ...(nor_by ? { nor_by: [...nor_by] } : {}),
  ...(approvers ? { approvers: [...approvers] } : {}),
});

export type Waited<Given extends Answer> =
  | { readonly type: "answered"; readonly answer: Given }
  | { readonly type: "timeout"; readonly error: Raised }
  | { readonly type: "unanswered" };

/** Asks until the deadline. An answer by a person who may not answer is recorded as refused; the question stays. */
export async function askInTime<Given extends Answer>(
  frame: WorkflowFrame,
  step: AskingStep,
  question: GateQuestion | QuestionList,
  attempt: WorkAttempt,
  asking: Asking,
): Promise<Waited<Given>> {
  const { durable } = frame.engine;
  const { deadline } = question;
  const left = deadline === undefined ? undefined : await secondsUntil(frame, deadline);
  // After the deadline an answer that came in time still counts, and the question is not asked again.
  const limit = left === 0 ? PASSED : durable.timeLimit(left, attempt.signal);
  const stopNotices = sendNotices(frame, step, question, attempt, limit.signal);
  const isRefused = (answer: Answer): boolean => {
    const reason = whyNotBy(question, answer);
    if (reason === undefined) return false;
    const answered_by = answer.person ?? answer.by;
    attempt.emit("gate_refused", { agent_name: step.name, key: question.key, answered_by, reason });
    return true;
  };
  try {
    const answer = await durable.ask(frame.path, question, limit.signal, {
      ...asking,
      isRefused,
      fiber: attempt.fiber,
    });
    if (answer && whyNotBy(question, answer) === undefined) return { type: "answered", answer: answer as Given };
    const isLate = limit.signal.aborted && !attempt.signal.aborted;
    return isLate ? { type: "timeout", error: timedOut(step, deadline ?? "") } : { type: "unanswered" };
  } finally {
    limit.dispose();
    await stopNotices();
  }
}

const PASSED = { signal: AbortSignal.abort(new TimeLimit(0)), dispose: () => {} };

async function secondsUntil(frame: WorkflowFrame, deadline: string): Promise<number> {
  const { startedAt: now } = await frame.engine.durable.timed(() => undefined);
  return Math.max(0, (Date.parse(deadline) - now) / 1000);
}

const timedOut = ({ name, timeout }: AskingStep, deadline: string): Raised =>
  raised("gate.timeout", `no one answered ${name} within ${timeout} s`, { timeout_seconds: timeout, deadline });

/** Sends the notice now, unless an earlier drive has, and reminders until there is an answer. */
function sendNotices(
  frame: WorkflowFrame,
  { name, remind, notify }: AskingStep,
  question: GateQuestion | QuestionList,
  attempt: WorkAttempt,
  signal: AbortSignal,
): () => Promise<void> {
  const { engine } = frame;
  let sending: Promise<void> = Promise.resolve();
  let timer: { readonly signal: AbortSignal; dispose(): void } | undefined;
  const send = (reminder: number): void => {
    const record = (problem: string | undefined): void =>
      attempt.emit("gate_notified", {
        agent_name: name,
        key: question.key,
        reminder,
        ok: problem === undefined,
        message: problem,
      });
    if (!notify || !engine.notify) {
      record(undefined);
      return;
    }
    const { name: workflow, dir } = frame.place;
    const notice = { notify, question, workflow: { name: workflow, dir }, reminder, signal: attempt.signal };
    const sent = engine.notify(notice).then(record, (problem: unknown) => record(String(problem)));
    sending = sending.then(() => sent);
  };
  const next = (reminder: number): void => {
    if (remind === undefined || signal.aborted) return;
    timer = engine.durable.timeLimit(remind, signal);
    timer.signal.addEventListener("abort", () => {
      if (signal.aborted) return;
      send(reminder);
      next(reminder + 1);
    });
  };
  const isKnown = frame.reuse && engine.durable.recall.get(question.key)?.isNotified;
  if (notify && !isKnown) send(0);
  next(1);
  // A run that pauses now ends its process: what is on its way arrives first.
  return () => {
    timer?.dispose();
    return sending;
  };
}

/** Who answered, as the journal has it: the person where one is known, and the way the answer came. */
interface RecordedAnswerer {
  readonly answered_by: string;
  readonly answered_via?: string;
  readonly claimed_by?: string;
}

/** Where no person is known (skipped gates, a scenario), the way is all that there is to say. */
export const recordedAnswerer = ({ by, person, claims }: Answerer): RecordedAnswerer => ({
  ...(person === undefined ? { answered_by: by } : { answered_by: person, answered_via: by }),
  ...(claims === undefined ? {} : { claimed_by: claims }),
});

/** Whether a question is the one that an earlier drive asked, or the same words asked anew: an answer is to one of them. */
export async function askedAnew({ engine, reuse }: WorkflowFrame, key: string): Promise<AskedAnew> {
  const { durable } = engine;
  const open = reuse ? durable.recall.get(key)?.asked : undefined;
  if (open) return open.at === undefined ? {} : { asked_at: open.at };
  if (durable.recall.drives === 0) return {};
  const { startedAt } = await durable.timed(() => undefined);
  return { asked_at: new Date(startedAt).toISOString() };
}
