// The drives of a worker, and its shares of groups that are spread: each is begun, left to others, refused or let end here.

import { crashResult, type Result } from "../../../base/results/index.ts";
import type { Entry } from "../../../base/results/result.ts";
import { NO_STEP_TYPE } from "../../../language/schema/names.ts";
import { removeMaterialized } from "../../../services/drive/places.ts";
import { asRefusal, Refused } from "../../../services/refusals.ts";
import { homeOf } from "../../../services/session/home.ts";
import type { Session } from "../../../services/session/session.ts";
import { clockOfStore } from "../../../services/session/store.ts";
import type { Executor, StepType } from "../../../steps/step-type.ts";
import { STEP_TYPES } from "../../../steps/types.ts";
import type { HostClock } from "../../../storage/clock.ts";
import type { DriveLeaving, MissingRequirement } from "../../../storage/fleet.ts";
import { DriveLeft, IdleRelease } from "../../../storage/idle-release.ts";
import { isUnreadable, StoreError } from "../../../storage/store-error.ts";
import type { WorkerHost, WorkerStore } from "../postgres/worker-host.ts";
import { SpreadCoordinator } from "../spread/spread-coordinator.ts";
import { type Spreading, SpreadParticipant } from "../spread/spreading.ts";
import { driveBranch, ownEvents } from "./drive-branch.ts";
import { drivePlaced } from "./drive-placed.ts";
import { type FleetRequest, plainFurther } from "./fleet-request.ts";
import type { WorkerSettings } from "./workers.ts";

/** So long a run or a share waits that this worker has no key or no plugins for, before the queue gives it to anybody again. */
const ELSEWHERE_SECONDS = 3;

export class Drives {
  ended: () => void = () => {};
  readonly stops = new Map<string, () => void>();
  readonly #saidOnce = new Set<string>();
  readonly #presences = new Set<IdleRelease>();
  readonly #underway = new Set<Promise<void>>();
  #isLeaving = false;

  constructor(
    private readonly host: WorkerHost,
    private readonly settings: WorkerSettings,
    private readonly session: Session,
    private readonly said: (text: string) => void,
  ) {}

  drive(store: WorkerStore, runId: string, drive: number): Promise<void> {
    return this.#underWay(this.#drive(store, runId, drive)).finally(() => this.ended());
  }

  driveBranch(store: WorkerStore, runId: string, stream: string, attempt: number): Promise<void> {
    return this.#underWay(this.#driveBranch(store, runId, stream, attempt));
  }

  #underWay(work: Promise<void>): Promise<void> {
    const going = work.finally(() => this.#underway.delete(going));
    this.#underway.add(going);
    return going;
  }

  /** Never throws into the queue: what it cannot do another drive can, or the run's own record says why not. */
  async #drive(store: WorkerStore, runId: string, drive: number): Promise<void> {
    const { fleet } = store;
    if (this.#isLeaving) return void (await fleet.next(runId, drive).catch(() => {}));
    const stop = new AbortController();
    this.stops.set(runId, () => stop.abort());
    let presence: IdleRelease | undefined;
    try {
      const placed = await store.openDrive(runId, drive);
      if (!placed) return;
      const { log, isBegun, left } = placed;
      const clock = clockOfStore(store);
      presence = this.#present(new SpreadCoordinator(placed.spreading), clock);
      const request = placed.request as FleetRequest;
      try {
        const result = await drivePlaced(
          store,
          { log, request, isBegun, left },
          { ...this.session, extensions: this.#waitingAt(presence, clock) },
          { portOf: presence.portOf, left: presence.left },
          { signal: stop.signal },
        );
        if (result.status === "paused") await fleet.afterPause(runId, gatesOf(result), plainFurther(request));
        else removeMaterialized(homeOf(this.session), runId);
      } catch (problem) {
        if (problem instanceof DriveLeft) await goOnLater(store, runId, drive, problem);
        else if (this.host.isInfrastructureError(problem)) return;
        else await this.#leaveOrRefuse(store, runId, drive, problem, left);
      } finally {
        await Promise.resolve(log.release()).catch(() => {});
      }
    } catch (problem) {
      // Given up, or the database is away for longer than anybody waits: the claim stays, and others take it.
      if (this.host.isInfrastructureError(problem)) return;
      await this.#leaveOrRefuse(store, runId, drive, problem).catch(() => {});
    } finally {
      this.stops.delete(runId);
      if (presence) this.#presences.delete(presence);
    }
  }

  /** Another worker may have the key, or the plugins. `left`: how the worker before left it. */
  async #leaveOrRefuse(
    store: WorkerStore,
    runId: string,
    drive: number,
    problem: unknown,
    left?: DriveLeaving,
  ): Promise<void> {
    const here = missingHere(problem, this.session.cwd);
    if (!here) return this.#refuse(store, runId, drive, problem);
    this.#sayOnce(`Run ${runId} is left to other workers. ${here.sentence}`);
    await store.fleet.next(runId, drive, {
      delaySeconds: ELSEWHERE_SECONDS,
      because: left,
      requirement: here.requirement,
    });
  }

  /** The run may have no followers: the worker reports it as well. */
  async #refuse({ fleet }: WorkerStore, runId: string, drive: number, problem: unknown): Promise<void> {
    const result = refusedBy(problem);
    this.said(`The run ${runId} could not be driven: ${result.error ?? "for no reason that is known"}`);
    await fleet.refuse(runId, drive, result);
  }

  /** The queue gives it back every few seconds: what is the same again is not said again. */
  #sayOnce(text: string): void {
    if (this.#saidOnce.has(text)) return;
    this.#saidOnce.add(text);
    this.said(text);
  }

  /** As for a drive; who handed the share out is given what cannot be done with it. */
  async #driveBranch(store: WorkerStore, runId: string, stream: string, attempt: number): Promise<void> {
    const goOn = (delaySeconds: number): Promise<void> => store.nextBranch(runId, stream, attempt, delaySeconds);
    if (this.#isLeaving) return goOn(0).catch(() => {});
    let presence: IdleRelease | undefined;
    try {
      const taken = await store.openBranch(runId, stream, attempt);
      if (!taken) return;
      try {
        const own = await ownEvents(taken);
        const part = new SpreadParticipant(taken.share, own);
        const clock = clockOfStore(store);
        presence = this.#present(part, clock);
        const left = await driveBranch(
          store,
          { taken, own, presence, part },
          { ...this.session, extensions: this.#waitingAt(presence, clock) },
        );
        if (left) await goOn(secondsUntil(left, clock));
      } finally {
        await Promise.resolve(taken.log.release()).catch(() => {});
      }
    } catch (problem) {
      // Given up, or the database is away: the claim stays, and others take it.
      if (this.host.isInfrastructureError(problem)) return;
      const here = missingHere(problem, this.session.cwd);
      if (here) {
        this.#sayOnce(`A share of run ${runId} is left to other workers. ${here.sentence}`);
        return goOn(ELSEWHERE_SECONDS).catch(() => {});
      }
      const message = refusedBy(problem).error ?? String(problem);
      this.#sayOnce(`A share of run ${runId} could not be driven: ${message}`);
      const code = problem instanceof StoreError ? problem.code : undefined;
      await store.failBranch(runId, stream, attempt, { message, code }).catch(() => {});
    } finally {
      if (presence) this.#presences.delete(presence);
    }
  }

  /** The project's own steps, a `wait` that lets the drive be left meanwhile, and the clock that all workers go by. */
  #waitingAt(presence: IdleRelease, clock: HostClock): Session["extensions"] {
    const { extensions } = this.session;
    return { clock, ...extensions, stepTypes: { ...extensions?.stepTypes, wait: waitingAt(presence) } };
  }

  #present(spreading: Spreading, clock: HostClock): IdleRelease {
    const presence = new IdleRelease({ clock, longestWaitMs: this.settings.longestWaitMs, spreading });
    this.#presences.add(presence);
    if (this.#isLeaving) presence.handOver();
    return presence;
  }

  /** Gives how many did not end in time. `noMoreComes`: the queue gives back what it had taken before that. */
  async handOver(withinMs: number, noMoreComes: Promise<void>): Promise<number> {
    this.#isLeaving = true;
    for (const presence of this.#presences) presence.handOver();
    const late = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    const allEnded = async (): Promise<void> => {
      await noMoreComes;
      while (this.#underway.size > 0) await Promise.allSettled([...this.#underway]);
    };
    await Promise.race([allEnded(), late]);
    return this.#underway.size;
  }
}

async function goOnLater(store: WorkerStore, runId: string, drive: number, left: DriveLeft): Promise<void> {
  const because = left.until === undefined ? "handed over" : "waiting";
  await store.fleet.next(runId, drive, { delaySeconds: secondsUntil(left, clockOfStore(store)), because });
}

const secondsUntil = ({ until }: DriveLeft, clock: HostClock): number =>
  until === undefined ? 0 : Math.max(0, (until - clock.now()) / 1000);

/** What the run's follower is given: a refusal, or a defect in words. */
function refusedBy(problem: unknown): Result {
  const refused = asRefusal(problem);
  return refused instanceof Refused
    ? refused.result
    : crashResult(problem instanceof Error ? problem : new Error(String(problem)), {});
}

const gatesOf = ({ gate, gates }: Result): readonly string[] => (gates ?? (gate ? [gate] : [])).map(({ key }) => key);

/** `type: wait` as it always is, on a clock that lets the drive be left meanwhile. */
function waitingAt(presence: IdleRelease): StepType {
  const executor = async (): Promise<Executor<never, unknown>> => {
    const wait: Executor<never, unknown> = await STEP_TYPES.wait.executor();
    return {
      ...wait,
      execute: (prepared, attempt) => wait.execute(prepared, { ...attempt, clock: presence.waitingBy(attempt.clock) }),
    };
  };
  return { ...STEP_TYPES.wait, executor };
}

// A run that this worker cannot drive, and another may: it is sealed with a key that is not here, or it names what a
// plugin brings, and no such plugin is loaded here. The process that placed the run had both.

/** Nothing when that is not what is wrong. `folder`: where this worker was started. */
function missingHere(
  problem: unknown,
  folder: string,
): { readonly requirement: MissingRequirement; readonly sentence: string } | undefined {
  if (isUnreadable(problem)) return { requirement: { kind: "key" }, sentence: problem.message };
  if (!(problem instanceof Refused)) return undefined;
  const found = problem.result.errors.filter(isMissing).map(({ message }) => message.split(/[.;] /)[0] ?? message);
  if (found.length === 0) return undefined;
  const missing = [...new Set(found)];
  return {
    requirement: { kind: "plugins", missing, folder },
    sentence: `It needs what plugins of its project bring, and this worker, which was started in ${folder}, has not loaded them: ${missing.join("; ")}. Start workers in the project's folder, and trust it there (\`segno trust\`).`,
  };
}

const RULES: readonly (string | undefined)[] = ["unknown-policy", "unknown-provider"];

const isMissing = ({ rule, message, error_type }: Entry): boolean =>
  RULES.includes(rule) ||
  error_type === "UnknownProvider" ||
  (rule === "wrong-type" && message.startsWith(NO_STEP_TYPE));
