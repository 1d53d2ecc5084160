// `segno worker`: drives runs of a fleet until it is told to leave.
import { hostname } from "node:os";
import { type HostClock, realClock } from "../../hosts/clock.ts";
import { HandingOut } from "../../hosts/handing-out.ts";
import { DriveLeft, Presence } from "../../hosts/presence.ts";
import type { Spreading } from "../../hosts/spreading.ts";
import { isUnreadable } from "../../hosts/store-error.ts";
import { TakingPart } from "../../hosts/taking-part.ts";
import type { StartedWorker, WorkerHost, WorkerStore } from "../../hosts/worker-host.ts";
import { crashResult, type Result } from "../../results/index.ts";
import type { Executor } from "../../steps/executor.ts";
import { executorOf } from "../../steps/registry.ts";
import { BackgroundRuns } from "../background.ts";
import { homeOf, version } from "../home.ts";
import { withoutOwnSecrets } from "../own-secrets.ts";
import type { Project } from "../project/read-project.ts";
import { asRefusal, Refused, refusal } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { type Duties, takeUpDuties } from "../standing-duties.ts";
import { fleetOf, workerHost } from "../store.ts";
import { measureThisProcess } from "../telemetry/switch.ts";
import { driveBranch, ownEvents } from "./drive-branch.ts";
import { drivePlaced } from "./drive-placed.ts";
import { type FleetRequest, plainFurther } from "./fleet-request.ts";

export interface WorkerRequest extends Surroundings {
  /** How many runs at a time. */
  readonly concurrency?: number;
  /** A name that stays the same over restarts. */
  readonly id?: string;
  /** Asks it to leave: it takes nothing more, lets steps end, and hands the rest over. */
  readonly signal: AbortSignal;
  readonly said: (text: string) => void;
  /** A trusted project, whose triggers it fires. */
  readonly project?: Project;
  /** Opens a door for other programs; absent: nobody can ask this worker anything. */
  readonly openDoor?: (door: DoorOfWorker) => Promise<{ readonly said: string; close(): Promise<void> }>;
  /** By which triggers fire and gates time out. */
  readonly clock?: HostClock;
  /** Told what went wrong beside the drives; it is tried again. */
  readonly trouble?: (problem: unknown) => void;
}

/** What can be asked of a worker. */
export interface DoorOfWorker {
  readonly deliver?: Duties["deliver"];
  scrape(): Promise<string>;
}

interface Settings {
  readonly beatMs: number;
  readonly silenceMs: number;
  readonly pollMs: number;
  readonly longestWaitMs: number;
  readonly protocol?: string;
}

const CONCURRENCY = 8;
/** So long a run waits that this worker has no key for, before the queue gives it to anybody again. */
const UNREADABLE_SECONDS = 3;
/** So long steps may go on after the worker was asked to leave. */
const DRAIN_MS = 30_000;

/** Seconds from the environment. */
function seconds(env: Surroundings["env"], name: string, usual: number): number {
  const text = env[name];
  if (text === undefined || text === "") return usual * 1000;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value * 1000;
  throw refusal(`${name} is ${JSON.stringify(text)}; it takes a number of seconds`);
}

const settingsOf = (env: Surroundings["env"]): Settings => ({
  beatMs: seconds(env, "SEGNO_BEAT_SECONDS", 2),
  silenceMs: seconds(env, "SEGNO_DEAD_SECONDS", 10),
  pollMs: seconds(env, "SEGNO_POLL_SECONDS", 0.1),
  longestWaitMs: seconds(env, "SEGNO_HELD_WAIT_SECONDS", 15),
  ...(env.SEGNO_PROTOCOL ? { protocol: env.SEGNO_PROTOCOL } : {}),
});

/** Gives the exit code. */
export async function runWorker(request: WorkerRequest): Promise<number> {
  const { env, cwd, said, signal } = request;
  const url = fleetOf(request);
  if (url === undefined) throw refusal("say which Postgres the worker is for: --on postgres://… or SEGNO_ON");
  const settings = settingsOf(env);
  const concurrency = request.concurrency ?? CONCURRENCY;
  const host = await workerHost();
  const { extensions, defaults, people, page, otlp, fleet } = request;
  const surroundings: Surroundings = {
    cwd,
    env: withoutOwnSecrets(env),
    ...(extensions ? { extensions } : {}),
    ...(defaults ? { defaults } : {}),
    ...(people ? { people } : {}),
    ...(page === undefined ? {} : { page }),
    ...(otlp === undefined ? {} : { otlp }),
    ...(fleet === undefined ? {} : { fleet }),
  };
  const drives = new Drives(host, settings, surroundings, said);
  let leave: (code: number) => void = () => {};
  const leaving = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const worker = await host.start(url, {
    ...settings,
    home: homeOf(request),
    version: version(),
    sealKey: env.SEGNO_SEAL_KEY,
    name: request.id ?? `${hostname()}-${process.pid}`,
    concurrency,
    drive: (store, runId, drive) => drives.drive(store, runId, drive),
    driveBranch: (store, runId, stream, attempt) => drives.driveBranch(store, runId, stream, attempt),
    goingOn: (asked) => plainFurther(asked as FleetRequest),
    driven: () => drives.stops,
    // What it still drives is not its own any more: nothing is written, and the queue gives it to others.
    givenUp: () => leave(GIVEN_UP),
    drained: () => leave(0),
  });
  said(`Worker ${worker.name} on ${worker.shown}, ${concurrency} runs at a time.`);
  if (!worker.isSealed)
    said(
      "SEGNO_SEAL_KEY is not set: what runs record stands in the database in clear, and runs with secret inputs are refused.",
    );
  if (signal.aborted) leave(0);
  signal.addEventListener("abort", () => leave(0), { once: true });
  const beside = await takeUpBeside(request, worker, drives).catch(async (problem: unknown) => {
    await worker.leave();
    throw problem;
  });
  const code = await leaving;
  if (code === GIVEN_UP) {
    void beside.close();
    said(
      "This worker gave no sign of life for too long, and the others have taken its runs. It ends here; start it again.",
    );
    return 1;
  }
  said("Leaving: no more runs are taken, and steps that run may end.");
  await beside.close();
  await worker.stopTaking();
  const left = await drives.handOver(DRAIN_MS);
  if (left > 0) said(`${left} steps did not end in ${DRAIN_MS / 1000} s; the others run them again.`);
  await worker.leave();
  return 0;
}

const GIVEN_UP = -1;

/** What a worker does beside its drives: triggers, gates that wait, and the door. */
async function takeUpBeside(
  { openDoor, project, said, clock = realClock, trouble = () => {}, ...surroundings }: WorkerRequest,
  { store }: StartedWorker,
  drives: Drives,
): Promise<{ close(): Promise<void> }> {
  const stop = new AbortController();
  const runs = new BackgroundRuns();
  const duties = await takeUpDuties({
    surroundings,
    store,
    ...(project ? { project } : {}),
    // Whoever placed a run on the fleet wants it to go on.
    isOurs: () => true,
    runs,
    clock,
    signal: stop.signal,
    trouble,
    said,
  });
  drives.ended = () => duties.wake?.();
  const close = async (): Promise<void> => {
    stop.abort();
    await runs.close();
    await duties.done;
  };
  if (openDoor) measureThisProcess();
  const door = await openDoor?.({
    scrape: async () => (await import("../telemetry/scrape.ts")).scrape(store),
    ...(duties.deliver ? { deliver: duties.deliver } : {}),
  }).catch(async (problem: unknown) => {
    await close();
    throw problem;
  });
  if (project) said(`It drives the triggers of ${project.file}.`);
  if (door) said(door.said);
  return {
    async close() {
      await door?.close();
      await close();
    },
  };
}

/** The drives of this worker. */
class Drives {
  /** Told when one has ended. */
  ended: () => void = () => {};
  /** How to stop each run, by id. */
  readonly stops = new Map<string, () => void>();
  readonly #said: (text: string) => void;
  readonly #host: WorkerHost;
  readonly #settings: Settings;
  readonly #surroundings: Surroundings;
  readonly #presences = new Set<Presence>();
  readonly #underway = new Set<Promise<void>>();
  #isLeaving = false;

  constructor(host: WorkerHost, settings: Settings, surroundings: Surroundings, said: (text: string) => void) {
    this.#said = said;
    this.#host = host;
    this.#settings = settings;
    this.#surroundings = surroundings;
  }

  drive(store: WorkerStore, runId: string, drive: number): Promise<void> {
    const going = this.#drive(store, runId, drive).finally(() => {
      this.#underway.delete(going);
      this.ended();
    });
    this.#underway.add(going);
    return going;
  }

  /** Never throws into the queue: what it cannot do another drive can, or the run's own record says why not. */
  async #drive(store: WorkerStore, runId: string, drive: number): Promise<void> {
    const { fleet } = store;
    if (this.#isLeaving) {
      await fleet.next(runId, drive).catch(() => {});
      return;
    }
    const stop = new AbortController();
    this.stops.set(runId, () => stop.abort());
    let presence: Presence | undefined;
    try {
      const placed = await store.openDrive(runId, drive);
      if (!placed) return;
      const { log, isBegun, left } = placed;
      presence = this.#present(new HandingOut(placed.spreading));
      const request = placed.request as FleetRequest;
      const { extensions } = this.#surroundings;
      try {
        const result = await drivePlaced(
          store,
          { log, request, isBegun, ...(left ? { left } : {}) },
          {
            ...this.#surroundings,
            signal: stop.signal,
            leaving: { portOf: presence.portOf, left: presence.left },
            extensions: { ...extensions, executors: { ...extensions?.executors, wait: waitingAt(presence) } },
          },
        );
        if (result.status === "paused") await fleet.afterPause(runId, gatesOf(result), plainFurther(request));
      } catch (problem) {
        if (problem instanceof DriveLeft) await goOnLater(store, runId, drive, problem);
        else if (this.#host.isNobodysFault(problem)) return;
        else if (isUnreadable(problem)) await this.#leaveToOthers(store, runId, drive, problem);
        else await this.#refuse(store, runId, drive, problem);
      } finally {
        await Promise.resolve(log.release()).catch(() => {});
      }
    } catch (problem) {
      // Given up, or the database is away for longer than anybody waits: the claim stays, and others take it.
      if (this.#host.isNobodysFault(problem)) return;
      const handled = isUnreadable(problem)
        ? this.#leaveToOthers(store, runId, drive, problem)
        : this.#refuse(store, runId, drive, problem);
      await handled.catch(() => {});
    } finally {
      this.stops.delete(runId);
      if (presence) this.#presences.delete(presence);
    }
  }

  /** Nobody may follow the run: it is said here as well. */
  async #refuse({ fleet }: WorkerStore, runId: string, drive: number, problem: unknown): Promise<void> {
    const result = refusedBy(problem);
    this.#said(`The run ${runId} could not be driven: ${result.error ?? "for no reason that is known"}`);
    await fleet.refuse(runId, drive, result);
  }

  /** Another worker may have the key: the run goes back into the queue as it is. */
  async #leaveToOthers(store: WorkerStore, runId: string, drive: number, { message }: Error): Promise<void> {
    this.#said(`Run ${runId} is left to other workers. ${message}`);
    await store.fleet.next(runId, drive, { delaySeconds: UNREADABLE_SECONDS });
  }

  driveBranch(store: WorkerStore, runId: string, stream: string, attempt: number): Promise<void> {
    const going = this.#driveBranch(store, runId, stream, attempt).finally(() => this.#underway.delete(going));
    this.#underway.add(going);
    return going;
  }

  /** As for a drive; who handed the share out is given what cannot be done with it. */
  async #driveBranch(store: WorkerStore, runId: string, stream: string, attempt: number): Promise<void> {
    const goOn = (delaySeconds: number): Promise<void> => store.nextBranch(runId, stream, attempt, delaySeconds);
    if (this.#isLeaving) return goOn(0).catch(() => {});
    try {
      const taken = await store.openBranch(runId, stream, attempt);
      if (!taken) return;
      const own = await ownEvents(taken);
      const part = new TakingPart(taken.share, own);
      const presence = this.#present(part);
      try {
        const left = await driveBranch(
          store,
          { taken, own, presence, part },
          { ...this.#surroundings, extensions: { executors: { wait: waitingAt(presence) } } },
        );
        if (left) await goOn(secondsUntil(left));
      } catch (problem) {
        if (!this.#host.isNobodysFault(problem)) await taken.fail(refusedBy(problem).error ?? String(problem));
      } finally {
        this.#presences.delete(presence);
        await Promise.resolve(taken.log.release()).catch(() => {});
      }
    } catch {
      // Given up, or the database is away: the claim stays, and others take it. So they do after anything else.
    }
  }

  /** Steps of the drive are let end when this worker is to leave. */
  #present(spreading: Spreading): Presence {
    const presence = new Presence({ clock: realClock, longestWaitMs: this.#settings.longestWaitMs, spreading });
    this.#presences.add(presence);
    if (this.#isLeaving) presence.handOver();
    return presence;
  }

  /** Gives how many did not end in time. */
  async handOver(withinMs: number): Promise<number> {
    this.#isLeaving = true;
    for (const presence of this.#presences) presence.handOver();
    const late = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    await Promise.race([Promise.allSettled([...this.#underway]), late]);
    return this.#underway.size;
  }
}

async function goOnLater(store: WorkerStore, runId: string, drive: number, left: DriveLeft): Promise<void> {
  const because = left.until === undefined ? "handed over" : "waiting";
  await store.fleet.next(runId, drive, { delaySeconds: secondsUntil(left), because });
}

const secondsUntil = ({ until }: DriveLeft): number =>
  until === undefined ? 0 : Math.max(0, (until - Date.now()) / 1000);

/** What the run's follower is given: a refusal, or a defect in words. */
function refusedBy(problem: unknown): Result {
  const refused = asRefusal(problem);
  return refused instanceof Refused
    ? refused.result
    : crashResult(problem instanceof Error ? problem : new Error(String(problem)), {});
}

const gatesOf = ({ gate, gates }: Result): readonly string[] => (gates ?? (gate ? [gate] : [])).map(({ key }) => key);

/** `type: wait` as it always is, on a clock that lets the drive be left meanwhile. */
function waitingAt(presence: Presence): Executor<never, unknown> {
  const wait = executorOf("wait") as Executor<never, unknown>;
  return { ...wait, execute: (prepared, attempt) => wait.execute(prepared, { ...attempt, clock: presence.clock }) };
}
