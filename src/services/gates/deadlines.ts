// Questions that wait while no process drives their run: a server resumes runs whose question timed out, and sends the
// reminders that the steps ask for.

import { remember } from "../../base/events/visits/recall.ts";
import type { Question } from "../../engine/people/ask.ts";
import { type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import type { HumanGateStep, QuestionsStep } from "../../language/schema/index.ts";
import type { HostClock } from "../../storage/clock.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { OpenQuestion } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { isUnreadable, LeaseHeld } from "../../storage/store-error.ts";
import { notifyPeople } from "../drive/notify.ts";
import { catchUp } from "../drive/open-to-drive.ts";
import { openPort } from "../drive/port.ts";
import { lastDefinition } from "../reading/definition.ts";
import { eachEvent, redactorFor, stateOf } from "../reading/read-run.ts";
import type { BackgroundRuns } from "../runs/background.ts";
import { resumeRun } from "../runs/resume.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore, reading } from "../session/store.ts";

export interface WatchingGates {
  readonly session: Session;
  readonly store: RunStore;
  /** Where runs go on that are driven on. */
  readonly runs: BackgroundRuns;
  /** Only runs of these files. */
  readonly isOurs: (file: string) => boolean;
  readonly clock: HostClock;
  /** Ends notices that are being sent. */
  readonly noticeSignal: AbortSignal;
  /** Called with what went wrong; the next round tries again. */
  readonly trouble: (problem: unknown) => void;
}

export class GateWatch {
  /** When each that was seen is next said again: never, or a time. */
  readonly #next = new Map<string, number>();
  readonly #underway = new Set<string>();
  readonly #telling = new Set<Promise<void>>();

  constructor(private readonly options: WatchingGates) {}

  async round(): Promise<void> {
    const { store, clock } = this.options;
    const now = clock.now();
    const pending = await store.state.gates.pending();
    const names = new Set(pending.map(nameOf));
    for (const name of this.#next.keys()) if (!names.has(name)) this.#next.delete(name);
    for (const open of pending) {
      const asked = open.question as Question;
      if (asked.kind === "dialog" || this.#underway.has(open.runId)) continue;
      const isOver = asked.deadline !== undefined && Date.parse(asked.deadline) <= now;
      if (!isOver && (this.#next.get(nameOf(open)) ?? 0) > now) continue;
      if (!(await this.#isAtRest(open.runId))) continue;
      if (isOver) this.#driveOn(open.runId);
      else await this.#remind(open, now);
    }
  }

  /** Resolves when no reminder is being sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#telling);
  }

  /** One that is driven notices by itself. */
  async #isAtRest(runId: string): Promise<boolean> {
    const { store, isOurs } = this.options;
    const run = await store.summary(runId);
    return run?.status === "paused" && isOurs(run.file);
  }

  #driveOn(runId: string): void {
    const { runs, session, trouble } = this.options;
    this.#underway.add(runId);
    runs
      .start((driving) => resumeRun(session, { target: runId, inputs: {} }, driving))
      .result.catch(trouble)
      .finally(() => this.#underway.delete(runId));
  }

  /** One that is sealed with a key that is not here is for others to say again, and keeps no other from being looked at. */
  async #firstReminder(open: OpenQuestion): Promise<number> {
    const { store, session, trouble } = this.options;
    try {
      return (await remindingOf(store, open, session))?.at ?? Infinity;
    } catch (problem) {
      if (!isUnreadable(problem)) throw problem;
      trouble(problem);
      return Infinity;
    }
  }

  async #remind(open: OpenQuestion, now: number): Promise<void> {
    const { store, trouble } = this.options;
    const name = nameOf(open);
    const known = this.#next.get(name) ?? (await this.#firstReminder(open));
    this.#next.set(name, known);
    if (known > now) return;
    // A command that tells people may take a while, and others wait for theirs.
    this.#next.set(name, Infinity);
    const telling: Promise<void> = remind(open, this.options)
      .then(async (next) => {
        this.#next.set(name, next?.at ?? now + LATER_MS);
        // An answer that came in the moment in which the reminder was recorded found the run taken.
        if (await store.state.gates.get(open.runId, open.key)) this.#driveOn(open.runId);
      })
      .catch((problem: unknown) => {
        this.#next.set(name, now + LATER_MS);
        trouble(problem);
      })
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }
}

/** Another process has the run, or the attempt failed. */
const LATER_MS = 5000;

const nameOf = ({ runId, key, presented }: OpenQuestion): string => `${runId} ${key} ${presented}`;

type Reminding = NonNullable<Awaited<ReturnType<typeof remindingOf>>>;

/** The step, where it is, the number of its next reminder and when that comes; nothing when it sends none. */
const remindingOf = (store: RunStore, open: OpenQuestion, session: Session) =>
  reading(store, open.runId, async (reader) => {
    const { path, next, last } = await remindedSoFar(reader, open);
    const definition = await lastDefinition(reader, await stateOf(reader), session);
    const workflow = definition.at(path);
    const step = workflow && askingStep(workflow, (open.question as Question).node);
    return step?.remind === undefined || !workflow
      ? undefined
      : { step, workflow, path, next, at: last + step.remind * 1000 };
  });

async function remindedSoFar(reader: RunReader, { key, presented }: OpenQuestion) {
  let path: readonly string[] = [];
  let [next, last] = [1, Date.parse(presented)];
  await eachEvent(reader.events(), (event) => {
    if (event.type === "gate_presented" || event.type === "questions_presented") {
      if (event.data.key === key) path = event.path;
    } else if (event.type === "gate_notified" && event.data.key === key)
      [next, last] = [event.data.reminder + 1, Math.max(last, Date.parse(event.ts))];
  });
  return { path, next, last };
}

function askingStep({ definition }: LoadedWorkflow, name: string): HumanGateStep | QuestionsStep | undefined {
  const step = stepsOf(definition).find((one) => one.name === name);
  return step?.type === "human_gate" || step?.type === "questions" ? step : undefined;
}

/** Sends and records a reminder, if it is due and no other process does; gives the next one. */
async function remind(open: OpenQuestion, options: WatchingGates): Promise<Reminding | undefined> {
  const { store, session, clock } = options;
  const { slots } = store.state;
  const place = await slots.acquire(`remind ${open.runId} ${open.key}`, 1);
  if (!place) return undefined;
  try {
    const due = await remindingOf(store, open, session);
    if (!due || due.at > clock.now()) return due;
    await record(open, due, await say(open, due, options), options);
    return { ...due, next: due.next + 1, at: clock.now() + (due.step.remind ?? 0) * 1000 };
  } finally {
    await slots.release(place);
  }
}

const say = (
  { runId, question }: OpenQuestion,
  { step, workflow, next }: Reminding,
  { store, session, noticeSignal: signal }: WatchingGates,
): Promise<string | undefined> =>
  reading(store, runId, async (reader) => {
    const asked = question as Question;
    if (!step.notify || asked.kind === "dialog") return undefined;
    const { page, env, project } = session;
    const { name } = workflow.definition.workflow;
    return notifyPeople(
      { notify: step.notify, question: asked, workflow: { name, dir: workflow.dir }, reminder: next, signal },
      { env, project, page, runId, redactor: await redactorFor(reader, session) },
    );
  });

/** While it is recorded no other process can drive the run; that is short, and an answer then finds it at rest. */
async function record(
  { runId, key, question }: OpenQuestion,
  { path, next }: Reminding,
  problem: string | undefined,
  { store, session }: WatchingGates,
): Promise<void> {
  const run = await Promise.resolve(store.openRun(runId)).catch((held: unknown) => {
    // The question was answered, and the run goes on.
    if (held instanceof LeaseHeld) return undefined;
    throw held;
  });
  if (!run) return;
  try {
    const state = await stateOf(run);
    const standing = await store.fleet?.standing(runId);
    if (state.status !== "paused" || standing?.isEnded === false) return;
    await catchUp(run, session);
    const { port } = openPort({
      log: run,
      state,
      redactor: await redactorFor(run, session),
      workflow: run.meta.workflow,
      clock: clockOfStore(store),
      recall: remember([]),
    });
    port.note([...path], "gate_notified", {
      agent_name: (question as Question).node,
      key,
      reminder: next,
      ok: problem === undefined,
      ...(problem === undefined ? {} : { message: problem }),
    });
    await port.end();
  } finally {
    await run.release();
  }
}
