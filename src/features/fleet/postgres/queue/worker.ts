// A worker: takes drives from the queue, sends heartbeats, finds workers whose heartbeats stopped, and makes sure that
// their runs are taken. The caller decides how a drive runs.
import { ChangedInDatabase, isUnreadable, LeaseLost, StoreError } from "../../../../storage/store-error.ts";
import { isConnectionLoss } from "../connection.ts";
import type { Database } from "../database.ts";
import { WORKFLOWS } from "../dbos.ts";
import { GivenUp, isLeftOut } from "../lease.ts";
import { type FleetMembers, IS_LONG_DEAD, IS_ODD, type ServerAge } from "../members.ts";
import { requireReadable } from "../sealed-fleet.ts";
import { sealSourcesAnew } from "../sources.ts";
import { openPostgresStore, type PostgresStore } from "../store.ts";
import type { StartedWorker, WorkerHost, WorkerOptions } from "../worker-host.ts";
import { isAbandoned, recoverAbandoned } from "./claims.ts";
import { Dispatcher } from "./dispatcher.ts";
import { hearNotices } from "./notices.ts";
import { BRANCH_QUEUE, PROTOCOL, QUEUE, wakeInLanes } from "./queue.ts";
import { oddities, releaseUnknownLeases, StrandedRuns, unbegunClaims, unheardRuns } from "./stranded.ts";

/** Of each drive: one connection that writes, one that looks after what it shares. */
const CONNECTIONS_OF_A_DRIVE = 2;
/** For beats, sweeps and the queue. */
const CONNECTIONS_OF_A_WORKER = 6;

export const postgresWorkers: WorkerHost = {
  async start(url, { protocol = PROTOCOL, ...options }) {
    const { home, version, sealKey, name, concurrency, beatMs, silenceMs } = options;
    const store = await openPostgresStore(url, {
      home,
      version,
      sealKey,
      beatMs,
      silenceMs,
      // As many branches as drives.
      most: 2 * concurrency * CONNECTIONS_OF_A_DRIVE + CONNECTIONS_OF_A_WORKER,
      worker: { name, concurrency, protocol },
    });
    const { members, database, seal } = store.access;
    try {
      await requireReadable(database, seal);
      await sealSourcesAnew(database, seal);
    } catch (problem) {
      await store.close();
      throw problem;
    }
    const worker = await startFleetWorker(store, { ...options, protocol });
    return { ...worker, store, name: members.name, shown: database.shown, isSealed: seal.isSealed };
  },

  isInfrastructureError: (problem) =>
    problem instanceof LeaseLost ||
    problem instanceof GivenUp ||
    isConnectionLoss(problem) ||
    (problem instanceof StoreError && isConnectionLoss(problem.cause)),
};

/** How often a worker looks while it hears of what there is to do, and how often where it does not. */
const SELDOM_MS = 2000;
const OFTEN_MS = 100;
/** How often at least, in the time of silence: a run of a worker that fell silent waits so much longer for its next one. */
const LOOKS_IN_A_SILENCE = 5;

async function startFleetWorker(
  store: PostgresStore,
  options: WorkerOptions & { readonly protocol: string },
): Promise<Pick<StartedWorker, "stopTaking" | "leave">> {
  const { pollMs, protocol } = options;
  const { database, members } = store.access;
  const queues = [QUEUE, BRANCH_QUEUE];
  await members.self();
  const dispatcher = new Dispatcher(store, options);
  const grace = new Grace(members.silenceMs);
  const stranded = new StrandedRuns(database, members);
  const lookForWork = (): void => {
    dispatcher.look("drive");
    dispatcher.look("branch");
  };
  /** What another worker may take as well. */
  const share = async (): Promise<void> => {
    lookForWork();
    await Promise.all([store.teller.tell("drive"), store.teller.tell("branch")]);
  };
  let waking: NodeJS.Timeout | undefined;
  const wake = async (): Promise<void> => {
    if ((await wakeInLanes(database, QUEUE, [BRANCH_QUEUE])) > 0) await share();
  };
  const look = async (): Promise<void> => {
    const driven = options.driven();
    const found = await glance(database, members, protocol, [...driven.keys()]);
    if (found.drives) dispatcher.look("drive");
    if (found.branches) dispatcher.look("branch");
    for (const runId of found.stops) driven.get(runId)?.();
    if (found.leaves) options.drained();
    clearTimeout(waking);
    if (found.wakes_in !== null && found.wakes_in <= 0) await wake();
    else if (found.wakes_in !== null && found.wakes_in <= SELDOM_MS)
      waking = setTimeout(() => void wake().catch(() => {}), Math.ceil(found.wakes_in));
    if (!grace.isOver) return;
    if (found.silent) await members.sweep(() => grace.isOver);
    if ((found.silent || found.abandoned) && (await recoverAbandoned(database, queues, protocol)) > 0) await share();
  };
  const looking = every(
    () => Math.min(pollMs ?? (listening.isHearing ? SELDOM_MS : OFTEN_MS), members.silenceMs / LOOKS_IN_A_SILENCE),
    look,
    () => grace.missed(),
  );
  const listening = hearNotices(database, members.name, (notice) => {
    if (notice === "drive" || notice === "branch") dispatcher.look(notice);
    else looking.now();
  });
  const hearts = [
    looking,
    every(
      () => members.beatMs,
      async () => {
        const began = performance.now();
        const { dead, server } = await members.beat();
        grace.beaten(began, server);
        if (dead) options.givenUp();
      },
      () => grace.missed(),
    ),
    every(
      () => members.silenceMs / 4,
      async () => {
        if (!grace.isOver || isLeftOut("no-reconciler")) return;
        const odd = await oddities(database, members);
        if (odd.leases) await releaseUnknownLeases(database, members, (runId, stream) => store.holds(runId, stream));
        const lost = odd.unbegun ? await unbegunClaims(database, members) : [];
        for (const { runId, drive: number } of [...lost, ...(odd.underway ? await stranded.look() : [])])
          if (!options.driven().has(runId))
            await store.fleet.next(runId, number, { version: protocol, isStranded: true });
        for (const runId of odd.unheard ? await unheardRuns(database, members) : []) {
          if (options.driven().has(runId)) continue;
          // One that cannot be read here, or not any more, keeps no other from being heard.
          await store.fleet.afterLostPause(runId, options.goingOn).catch((problem: unknown) => {
            if (!isUnreadable(problem) && !(problem instanceof ChangedInDatabase)) throw problem;
          });
        }
      },
    ),
  ];
  lookForWork();
  return {
    stopTaking: () => dispatcher.stop(),
    async leave() {
      for (const { stop } of hearts) stop();
      clearTimeout(waking);
      await dispatcher.stop();
      await listening.stop();
      await members.leave();
    },
  };
}

interface Repeated {
  /** The next time is now, or as soon as this time is over. */
  now(): void;
  stop(): void;
}

/** Again and again, never twice at once; what fails is tried again the next time. */
function every(ms: () => number, work: () => Promise<void>, failed: () => void = () => {}): Repeated {
  let isStopped = false;
  let isUnderway = false;
  let isWanted = false;
  let timer: NodeJS.Timeout;
  const turn = async (): Promise<void> => {
    isUnderway = true;
    isWanted = false;
    await work().catch(failed);
    isUnderway = false;
    if (!isStopped) timer = setTimeout(() => void turn(), isWanted ? 0 : ms());
  };
  timer = setTimeout(() => void turn(), 0);
  return {
    now() {
      isWanted = true;
      if (isUnderway || isStopped) return;
      clearTimeout(timer);
      timer = setTimeout(() => void turn(), 0);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

// When other processes may be given up. During an outage of the database no heartbeat gets through. So a process that
// missed a beat itself, or sees a server that has just started, waits until the others had time for a heartbeat.

export class Grace {
  readonly #graceMs: number;
  readonly #longestMs: number;
  #until: number;
  #lastBeat: number | undefined;
  #server: string | undefined;

  constructor(silenceMs: number, now: number = performance.now()) {
    this.#graceMs = silenceMs * 1.5;
    this.#longestMs = silenceMs / 2;
    this.#until = now;
  }

  beaten(began: number, { started, ageMs }: ServerAge, now: number = performance.now()): void {
    const isLate = this.#lastBeat !== undefined && now - this.#lastBeat > this.#longestMs;
    const isOther = this.#server !== undefined && this.#server !== started;
    if (isLate || isOther || now - began > this.#longestMs) this.#until = now + this.#graceMs;
    // One that has just started was away before. One that will start in a time to come has had its clock set back since.
    if (ageMs >= 0) this.#until = Math.max(this.#until, now + this.#graceMs - ageMs);
    this.#lastBeat = now;
    this.#server = started;
  }

  missed(now: number = performance.now()): void {
    this.#until = now + this.#graceMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#until && this.#lastBeat !== undefined && this.#isFresh;
  }

  /** A process that stood still wakes up with an old beat, and must not judge others by it. */
  get #isFresh(): boolean {
    return performance.now() - (this.#lastBeat ?? 0) <= this.#longestMs * 2;
  }
}

// One look of a worker at all that may ask something of it: the queue, runs that shall stop, workers that fell silent.

interface Glance {
  readonly drives: boolean;
  readonly branches: boolean;
  /** Milliseconds until the first of those that wait for their time; less than nothing when it has come. */
  readonly wakes_in: number | null;
  /** Some have fallen silent, or have been dead for long. */
  readonly silent: boolean;
  /** What a worker has claimed that does not live. */
  readonly abandoned: boolean;
  readonly leaves: boolean;
  readonly stops: readonly string[];
}

const waits = (queue: string): string =>
  `exists (select 1 from ${WORKFLOWS} s where s.status = 'ENQUEUED' and s.queue_name = '${queue}' and s.application_version = $4)`;

const GLANCE = `select ${waits(QUEUE)} as drives, ${waits(BRANCH_QUEUE)} as branches,
    (select min(delay_until_epoch_ms) from ${WORKFLOWS} where status = 'DELAYED' and queue_name = any($3::text[]))
      - (extract(epoch from clock_timestamp()) * 1000)::float8 as wakes_in,
    exists (select 1 from segno.workers where ${IS_LONG_DEAD} or not dead and ${IS_ODD}) as silent,
    exists (select 1 from ${WORKFLOWS} s where ${isAbandoned("$3", "$4")}) as abandoned,
    exists (select 1 from segno.workers where worker = $5 and draining and not dead) as leaves,
    array(select run_id from segno.runs where stop_requested and run_id = any($6::text[])) as stops`;

/** Once, and not again when the connection is lost: what is seen late would be judged as if it were now. */
export async function glance(
  database: Database,
  { clock, silenceMs, name }: FleetMembers,
  protocol: string,
  driven: readonly string[],
): Promise<Glance> {
  const { rows } = await database.once(GLANCE, [clock, silenceMs, [QUEUE, BRANCH_QUEUE], protocol, name, driven]);
  return rows[0] as Glance;
}
