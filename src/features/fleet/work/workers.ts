// `segno workers`: who is there, what each holds, and what waits; and asking one to leave. How a worker is set, by the
// environment.

import { COMMAND_LINE, head, type ListHead } from "../../../base/results/index.ts";
import { orRefused, refusal } from "../../../services/refusals.ts";
import type { Session } from "../../../services/session/session.ts";
import { incompleteOf, withStore } from "../../../services/session/store.ts";
import type { Fleet, QueueView, WorkerView } from "../../../storage/fleet.ts";
import type { RunStore } from "../../../storage/store.ts";
import type { WorkerOptions } from "../postgres/worker-host.ts";

export interface WorkerEntry extends Omit<WorkerView, "isDraining" | "silentMs" | "keys"> {
  readonly draining: boolean;
  readonly silent_ms: number;
}

export interface WorkersAnswer extends ListHead {
  readonly workers: readonly WorkerEntry[];
  readonly queue: { readonly waiting: number; readonly delayed: number; readonly oldest_ms: number | null };
}

export function workerEntry({
  id,
  cell,
  host,
  pid,
  version,
  since,
  concurrency,
  runs,
  ...worker
}: WorkerView): WorkerEntry {
  const own = { draining: worker.isDraining, since, silent_ms: worker.silentMs, concurrency, runs };
  return { id, cell, host, pid, version, ...own };
}

export const queueOf = ({ waiting, delayed, oldestMs }: QueueView) => ({ waiting, delayed, oldest_ms: oldestMs });

const NOTHING = { workers: [], queue: { waiting: 0, delayed: 0, oldest_ms: null } } as const;

/** `more`: asked for last, when it is known which cells answered. */
const ofFleet = (
  session: Session,
  find: (fleet: Fleet) => Promise<Pick<WorkersAnswer, "workers">>,
  more: (store: RunStore) => Pick<WorkersAnswer, "incomplete"> = () => ({}),
): Promise<WorkersAnswer> =>
  orRefused(session, NOTHING, () =>
    withStore(session, async (store) => {
      const { fleet } = store;
      if (!fleet) throw refusal("workers belong to a fleet: say which with --on postgres://… or SEGNO_ON");
      return { ...head(0), ...(await find(fleet)), queue: queueOf(await fleet.queue()), ...more(store) };
    }),
  );

export const listWorkers = (session: Session): Promise<WorkersAnswer> =>
  ofFleet(session, async (fleet) => ({ workers: (await fleet.workers()).map(workerEntry) }), incompleteOf);

export const drainWorker = (session: Session, { worker }: { readonly worker: string }): Promise<WorkersAnswer> =>
  ofFleet(session, async (fleet) => {
    const before = await fleet.workers();
    const meant = await fleet.drain(worker);
    if (meant.length === 0) {
      const list = (session.reader ?? COMMAND_LINE).ask({ to: "list workers" });
      throw refusal(`there is no worker ${worker}.${list === null ? "" : ` \`${list}\` lists them.`}`);
    }
    const after = new Map((await fleet.workers()).map((one) => [one.id, one]));
    // One that had nothing to do may be gone already.
    const workers = before
      .filter(({ id }) => meant.includes(id))
      .map((one) => workerEntry(after.get(one.id) ?? { ...one, isDraining: true }));
    return { workers };
  });

export interface WorkerSettings extends Pick<WorkerOptions, "beatMs" | "silenceMs" | "pollMs" | "protocol"> {
  readonly longestWaitMs: number;
}

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
  pollMs: env.SEGNO_POLL_SECONDS ? seconds(env, "SEGNO_POLL_SECONDS", 0) : undefined,
  longestWaitMs: seconds(env, "SEGNO_HELD_WAIT_SECONDS", 15),
  protocol: env.SEGNO_PROTOCOL || undefined,
});
