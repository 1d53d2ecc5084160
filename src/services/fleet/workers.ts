// `segno workers`: who is there, what each holds, and what waits; and asking one to leave. How a worker is set, by the
// environment.
import type { QueueView, WorkerView } from "../../hosts/fleet.ts";
import type { WorkerOptions } from "../../hosts/worker-host.ts";
import { COMMAND_LINE, head, type ListHead } from "../../results/index.ts";
import { orRefused, refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { incompleteOf, withStore } from "../session/store.ts";

export interface WorkerEntry extends Omit<WorkerView, "isDraining" | "silentMs" | "keys"> {
  readonly draining: boolean;
  readonly silent_ms: number;
}

export interface WorkersAnswer extends ListHead {
  readonly workers: readonly WorkerEntry[];
  readonly queue: { readonly waiting: number; readonly delayed: number; readonly oldest_ms: number | null };
}

export const workerEntry = (worker: WorkerView): WorkerEntry => ({
  id: worker.id,
  ...(worker.cell === undefined ? {} : { cell: worker.cell }),
  host: worker.host,
  pid: worker.pid,
  version: worker.version,
  draining: worker.isDraining,
  since: worker.since,
  silent_ms: worker.silentMs,
  concurrency: worker.concurrency,
  runs: worker.runs,
});

export const queueOf = ({ waiting, delayed, oldestMs }: QueueView) => ({ waiting, delayed, oldest_ms: oldestMs });

const NOTHING = { workers: [], queue: { waiting: 0, delayed: 0, oldest_ms: null } } as const;

const withoutFleet = () => refusal("workers belong to a fleet: say which with --on postgres://… or SEGNO_ON");

function noSuchWorker({ reader = COMMAND_LINE }: Session, { worker }: { readonly worker: string }) {
  const list = reader.ask({ to: "list workers" });
  return refusal(`there is no worker ${worker}.${list === null ? "" : ` \`${list}\` lists them.`}`);
}

export const listWorkers = (session: Session): Promise<WorkersAnswer> =>
  orRefused(session, NOTHING, () =>
    withStore(session, async (store) => {
      const { fleet } = store;
      if (!fleet) throw withoutFleet();
      const workers = (await fleet.workers()).map(workerEntry);
      return { ...head(0), workers, queue: queueOf(await fleet.queue()), ...incompleteOf(store) };
    }),
  );

export const drainWorker = (session: Session, request: { readonly worker: string }): Promise<WorkersAnswer> =>
  orRefused(session, NOTHING, () =>
    withStore(session, async ({ fleet }) => {
      if (!fleet) throw withoutFleet();
      const before = await fleet.workers();
      const meant = await fleet.drain(request.worker);
      if (meant.length === 0) throw noSuchWorker(session, request);
      const after = new Map((await fleet.workers()).map((worker) => [worker.id, worker]));
      // One that had nothing to do may be gone already.
      const workers = before
        .filter(({ id }) => meant.includes(id))
        .map((worker) => workerEntry(after.get(worker.id) ?? { ...worker, isDraining: true }));
      return { ...head(0), workers, queue: queueOf(await fleet.queue()) };
    }),
  );

export interface WorkerSettings extends Pick<WorkerOptions, "beatMs" | "silenceMs" | "pollMs" | "protocol"> {
  readonly longestWaitMs: number;
}

/** Seconds from the environment. */
function seconds(env: Session["env"], name: string, usual: number): number {
  const text = env[name];
  if (text === undefined || text === "") return usual * 1000;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value * 1000;
  throw refusal(`${name} is ${JSON.stringify(text)}; it takes a number of seconds`);
}

export const workerSettings = (env: Session["env"]): WorkerSettings => ({
  beatMs: seconds(env, "SEGNO_BEAT_SECONDS", 2),
  silenceMs: seconds(env, "SEGNO_DEAD_SECONDS", 10),
  ...(env.SEGNO_POLL_SECONDS ? { pollMs: seconds(env, "SEGNO_POLL_SECONDS", 0) } : {}),
  longestWaitMs: seconds(env, "SEGNO_HELD_WAIT_SECONDS", 15),
  ...(env.SEGNO_PROTOCOL ? { protocol: env.SEGNO_PROTOCOL } : {}),
});
