// What a person does from a page: start, resume, cancel, answer, retry, reset. Each calls the service that the command
// line uses, for files below the root only, after a check for conflicts. Runs go on in the background.

import { setTimeout as pause } from "node:timers/promises";
import type { Result } from "../../../base/results/index.ts";
import type { Priority } from "../../../language/schema/names.ts";
import { dropLetters, type LetterView } from "../../../services/dead-letters/letters.ts";
import { retryLetters } from "../../../services/dead-letters/retry.ts";
import { planOfRetry, type RetryPlanOfRun } from "../../../services/dead-letters/retry-plan.ts";
import { requireGuardedGatesHeld } from "../../../services/explain/gate-protection.ts";
import type { GateAnswerRequest } from "../../../services/gates/checked-answer.ts";
import { answerGate } from "../../../services/gates/gates.ts";
import { requestStop } from "../../../services/reading/run-notes.ts";
import { DRIVEN, Refused, refusal } from "../../../services/refusals.ts";
import type { DriveListeners, GivenInput, ResumeRequest, RunRequest } from "../../../services/request.ts";
import { type BreakerView, listBreakers, resetBreaker } from "../../../services/resilience/breakers.ts";
import type { BackgroundRun, BackgroundRuns } from "../../../services/runs/background.ts";
import { cancelRun } from "../../../services/runs/cancel.ts";
import { resumeRun } from "../../../services/runs/resume.ts";
import { confineFamily, confineRun } from "../../../services/runs/roots.ts";
import { runWorkflow } from "../../../services/runs/run.ts";
import { showRun } from "../../../services/runs/runs.ts";
import { withSnapshot } from "../../../services/session/files.ts";
import { actingPerson } from "../../../services/session/people.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import { system } from "../../../steps/process/here.ts";
import type { WatchedRuns } from "../views/watched-runs.ts";
import {
  type LettersWanted,
  lettersWanted,
  requireNotDriven,
  requireNotResumed,
  requireSameDrive,
  requireSeen,
  TooLate,
} from "./conflicts.ts";
import { gateOf, requireSameQuestion, requireUnanswered } from "./gates-shown.ts";

/** `file`: an edited copy, below the root. */
export interface ResumeAct
  extends Pick<ResumeRequest, "rerun" | "maxIterations" | "maxVisits" | "provider" | "file" | "takeOver"> {
  readonly run: string;
  readonly seq: number;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface StartAct extends Pick<RunRequest, "maxIterations" | "provider" | "durability"> {
  readonly priority?: Priority;
  readonly name?: string;
  readonly file: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface AnswerAct extends Pick<GateAnswerRequest, "value" | "inputs" | "as"> {
  readonly gate: string;
  /** Of the log, when the person saw the question. */
  readonly seq: number;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 50;

type Background = Required<Pick<DriveListeners, "on" | "signal">> & Pick<DriveListeners, "detach">;

export class RunCommands {
  /** `session.cwd` is the root: files are named from there. */
  constructor(
    private readonly watched: WatchedRuns,
    private readonly runs: BackgroundRuns,
    private readonly session: Session,
  ) {}

  /** For one request: of a person whom the page may know by name. */
  forRequest(session: Session): RunCommands {
    return new RunCommands(this.watched, this.runs, withSnapshot(session));
  }

  async start({ file, inputs, priority, name, ...more }: StartAct) {
    const allowed = this.#confined(file);
    return this.#begun((driving) =>
      runWorkflow(
        this.session,
        { ...more, file: allowed.file, inputs: given(inputs), queue: { priority }, origin: { name } },
        driving,
      ),
    );
  }

  async resume({ run, seq, inputs, file, ...options }: ResumeAct) {
    const runId = file === undefined ? await this.#allowed(run) : await this.watched.idOf(run);
    const edited = file === undefined ? undefined : this.#confined(file);
    const more = { ...options, ...(edited ? { file: edited.file } : {}) };
    const requireFirst = () => this.#requireFirst(runId, seq, options.takeOver ?? false);
    await requireFirst();
    const values = given(inputs);
    await requireGuardedGatesHeld(this.session, { ...more, run: runId, inputs: values });
    return this.#begun((driving) => resumeRun(this.session, { ...more, target: runId, inputs: values }, driving)).catch(
      async (problem: unknown) => {
        // The run was resumed between the check and the drive.
        if (problem instanceof TooLate) await requireFirst();
        throw problem;
      },
    );
  }

  async #requireFirst(runId: string, seq: number, takeOver: boolean): Promise<void> {
    const { store } = this.watched;
    if (takeOver && this.runs.find(runId))
      throw refusal(
        `the run ${runId} is driven by this server: there is no other process to take it from. Cancel it, then resume it`,
      );
    await reading(store, runId, async (reader) => {
      await requireSeen(reader, seq);
      await (takeOver ? requireNotResumed(reader, seq) : requireNotDriven(store, reader, seq));
    });
  }

  async cancel(run: string, seq: number) {
    const runId = await this.watched.idOf(run);
    await reading(this.watched.store, runId, async (reader) => {
      await requireSeen(reader, seq);
      await requireSameDrive(reader, seq);
    });
    const here = this.runs.find(runId);
    here?.stop(actingPerson(this.session));
    const result = here ? await here.result : await this.#cancelled(runId);
    if (result.status === "invalid") throw new Refused(result);
    return this.#acted(runId);
  }

  /** A run that the command line of this very process drives hears of it as of `segno cancel`: by a note and a signal. */
  async #cancelled(runId: string): Promise<Result> {
    const { store } = this.watched;
    const run = await store.summary(runId);
    if (run?.status !== "running" || run.driver?.pid !== process.pid || !run.isInReach)
      return cancelRun(this.session, { run: runId });
    requestStop(await reading(store, runId, ({ folder }) => folder));
    system.interrupt(process.pid);
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(POLL_MS))
      if ((await store.summary(runId))?.status !== "running") break;
    return showRun(this.session, { run: runId });
  }

  async answer({ gate, seq, value, inputs, as }: AnswerAct) {
    const named = gateOf(gate);
    if (!named) throw refusal(`${gate} names no gate: a gate is named RUN:KEY`);
    const runId = await this.#allowed(named.run);
    const seen = { key: named.key, seq };
    await reading(this.watched.store, runId, (reader) => requireSeen(reader, seq));
    await requireUnanswered(this.watched, runId, seen, this.session);
    const question = await requireSameQuestion(this.watched, runId, seen);
    const answer = { run: runId, gate: named.key, value, inputs, via: "page", question, as };
    const { run, result } = await this.#started((driving) => answerGate(this.session, answer, driving)).catch(
      async (problem: unknown) => {
        // The gate was answered, or made to ask something else, between the check and the answer.
        await requireUnanswered(this.watched, runId, seen, this.session);
        await requireSameQuestion(this.watched, runId, seen);
        throw problem;
      },
    );
    const driven = run !== undefined || result?.success !== true ? ("here" as const) : ("elsewhere" as const);
    return { run_id: runId, gate_id: gate, value, answered_by: actingPerson(this.session), driven };
  }

  async retry(wanted: LettersWanted) {
    const letters = await lettersWanted(this.watched, wanted, this.session);
    const runs = [...new Set(letters.map(({ runId }) => runId))];
    for (const runId of runs) await this.#requireRetryAllowed(runId);
    const ids = letters.map(({ id }) => id);
    /** On a fleet: those that are in the queue now. One whose letters could not be tried again has them open again. */
    let placed: readonly string[] = [];
    await this.#started(async (driving) => {
      const answer = await retryLetters(this.session, { ids }, driving);
      if (!("status" in answer)) throw refusal("no open letter is like that");
      const queued = (answer.results ?? [answer]).filter(({ status }) => status === "queued");
      placed = queued.flatMap(({ run_id }) => run_id ?? []);
      return queued[0] ?? answer;
    }).catch(async (problem: unknown) => {
      // The letters were taken between the check and the retry.
      await lettersWanted(this.watched, { ids }, this.session);
      if (problem instanceof TooLate) for (const runId of runs) await this.#requireAtRest(runId);
      throw problem;
    });
    if (placed.length === 0) return { letters: ids, runs };
    return { letters: letters.filter(({ runId }) => placed.includes(runId)).map(({ id }) => id), runs: placed };
  }

  /** Drops letters: they are not offered for a retry any more. */
  async drop(wanted: LettersWanted): Promise<readonly LetterView[]> {
    const ids = (await lettersWanted(this.watched, wanted, this.session)).map(({ id }) => id);
    const answer = await dropLetters(this.session, { ids });
    if (!answer.success) {
      await lettersWanted(this.watched, { ids }, this.session);
      throw refusal(answer.errors[0]?.message ?? "these letters cannot be dropped");
    }
    return answer.letters;
  }

  async planOfRetry(wanted: LettersWanted): Promise<readonly RetryPlanOfRun[]> {
    const { store } = this.watched;
    return planOfRetry(await lettersWanted(this.watched, wanted, this.session), {
      store,
      session: this.session,
      requireAllowed: async (runId) => {
        await this.#requireRetryAllowed(runId);
        await this.#requireAtRest(runId);
      },
    });
  }

  #requireAtRest(runId: string): Promise<void> {
    const { store } = this.watched;
    return reading(store, runId, async (reader) => requireNotDriven(store, reader, await reader.lastSeq));
  }

  async #requireRetryAllowed(runId: string): Promise<void> {
    await this.#allowed(runId);
    await requireGuardedGatesHeld(this.session, { run: runId });
  }

  /** `openedAt` is what the person saw: one that opened anew since then stays as it is. */
  async reset(name: string, openedAt: string | null): Promise<readonly BreakerView[]> {
    const { breakers } = await listBreakers(this.session);
    const now = breakers.find((breaker) => breaker.name === name);
    if (now && now.opened_at !== openedAt) throw tooLateForBreaker(now);
    const answer = await resetBreaker(this.session, { name, by: actingPerson(this.session) });
    if (!answer.success) throw refusal(answer.errors[0]?.message ?? `there is no breaker ${name}`);
    return (await listBreakers(this.session)).breakers;
  }

  #confined(file: string) {
    return confineFamily(file, [this.session.cwd], this.session);
  }

  /** The whole id of a run that may be driven on here. */
  async #allowed(run: string): Promise<string> {
    const runId = await this.watched.idOf(run);
    await confineRun(runId, [this.session.cwd], this.session);
    return runId;
  }

  async #begun(go: (driving: Background) => Promise<Result>) {
    const { run, result } = await this.#started(go);
    const runId = (await run?.runId) ?? result?.run_id;
    if (!runId) throw refusal("nothing was run");
    return this.#acted(runId);
  }

  /** Waits until the run has begun, or was refused: a refusal is the answer. */
  async #started(
    go: (driving: Background) => Promise<Result>,
  ): Promise<{ readonly run?: BackgroundRun; readonly result?: Result }> {
    // A fleet has the run as soon as that is written: the page need not know when a worker takes it.
    const detach = this.watched.store.fleet ? { detach: true } : {};
    const run = this.runs.start((driving) => go({ ...driving, ...detach }));
    if ((await run.runId) !== undefined) return { run };
    const result = await run.result;
    const [error] = result.errors;
    if (error?.error_type === DRIVEN)
      throw new TooLate(error.message, { what: "resumed", by: null, at: null }, result.run_id ?? undefined);
    if (result.status === "invalid") throw new Refused(result);
    return { result };
  }

  /** The run that an act was about, and its last event when that was done. */
  async #acted(runId: string) {
    return { run_id: runId, seq: await reading(this.watched.store, runId, ({ lastSeq }) => lastSeq) };
  }
}

/** Of a breaker that is not as the person saw it: closed by a person or by itself, or open anew. */
function tooLateForBreaker({ name, opened_at, reset }: BreakerView): TooLate {
  if (opened_at !== null)
    return new TooLate(`${name} opened anew since then, at ${opened_at}`, { what: "opened", by: null, at: opened_at });
  const who = reset ? `: ${reset.by} reset it, at ${reset.at}` : "";
  return new TooLate(`${name} is closed already${who}`, { what: "reset", by: null, at: null, ...reset });
}

const given = (inputs: Readonly<Record<string, unknown>>): Record<string, GivenInput> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { value }]));
