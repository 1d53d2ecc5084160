// `segno worker`: drives runs of a fleet until it is asked to stop.

import { readdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import { nearest } from "../../../base/errors/nearest.ts";
import { type CellAddress, isOfCells } from "../../../base/redact/postgres-address.ts";
import { type BackgroundJobs, startBackgroundJobs } from "../../../frontends/server/background-jobs.ts";
import { removeMaterialized } from "../../../services/drive/places.ts";
import type { Project } from "../../../services/project/read-project.ts";
import { refusal } from "../../../services/refusals.ts";
import { BackgroundRuns } from "../../../services/runs/background.ts";
import { homeOf, version } from "../../../services/session/home.ts";
import { withoutOwnSecrets } from "../../../services/session/own-secrets.ts";
import type { Session } from "../../../services/session/session.ts";
import { cellsOfFleet, clockOfStore, fleetOf, storeFor, workerHost } from "../../../services/session/store.ts";
import type { HostClock } from "../../../storage/clock.ts";
import type { RunStore } from "../../../storage/store.ts";
import { measureThisProcess } from "../../telemetry/switch.ts";
import { Drives } from "./drives.ts";
import { type FleetRequest, plainFurther } from "./fleet-request.ts";
import { workerSettings } from "./workers.ts";

export interface WorkerRequest extends BesideDrives {
  readonly concurrency?: number;
  /** On a fleet that is made of cells: the one that it serves. */
  readonly cell?: string;
  /** A name that stays the same over restarts. */
  readonly id?: string;
  /** Asks it to leave: it takes nothing more, lets steps end, and hands the rest over. */
  readonly signal: AbortSignal;
}

const CONCURRENCY = 8;
/** So long steps may go on after the worker was asked to leave. */
const DRAIN_MS = 30_000;

export async function runWorker(session: Session, request: WorkerRequest): Promise<number> {
  const { env, cwd } = session;
  const { said, signal } = request;
  const url = await databaseOf(session, request);
  const settings = workerSettings(env);
  const concurrency = request.concurrency ?? CONCURRENCY;
  const host = await workerHost();
  const { extensions, page, fleet } = session;
  const { homeNamedBy: _, offers: _offers, actingFiles: _files, ...project } = session.project ?? {};
  const served = request.cell === undefined ? {} : { cell: request.cell };
  const ofDrives: Session = {
    cwd,
    env: withoutOwnSecrets(env),
    extensions,
    page,
    fleet,
    project: { ...project, ...served },
  };
  const drives = new Drives(host, settings, ofDrives, said);
  let leave: (code: number) => void = () => {};
  const leaving = new Promise<number>((resolve) => (leave = resolve));
  const worker = await host.start(url, {
    ...settings,
    home: homeOf(session),
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
  const forgetting = forgetFromTimeToTime(homeOf(ofDrives), worker.store, drives);
  if (signal.aborted) leave(0);
  signal.addEventListener("abort", () => leave(0), { once: true });
  // A trigger may belong to another cell than the one whose runs this worker drives.
  const all = url === fleetOf(session) ? worker.store : await storeFor(session);
  // Of triggers, those who fire them say which wait for it.
  if (!request.project?.triggers.length)
    for (const cell of all.cellsAway ?? []) said(`The cell ${cell} does not answer: its runs wait until it is back.`);
  const stores = { worker: worker.store, all };
  const beside = await takeUpBeside(
    { ...session, project: { ...session.project, ...served } },
    request,
    stores,
    drives,
  ).catch(async (problem: unknown) => {
    await worker.leave();
    throw problem;
  });
  const code = await leaving;
  clearInterval(forgetting);
  if (code === GIVEN_UP) {
    void beside.close();
    said(
      "This worker sent no heartbeat for too long, and other workers have taken its runs. It ends here; start it again.",
    );
    return 1;
  }
  said("Leaving: no more runs are taken, and steps that run may end.");
  // All at once: whatever was waited for first, runs here would begin further steps meanwhile.
  const [left] = await Promise.all([drives.handOver(DRAIN_MS, worker.stopTaking()), beside.close()]);
  if (left > 0)
    said(
      `${left === 1 ? "1 run was" : `${left} runs were`} still in a step after ${DRAIN_MS / 1000} s; the others run that step again.`,
    );
  if (all !== worker.store) await all.close();
  await worker.leave();
  return 0;
}

async function databaseOf(session: Session, { cell }: WorkerRequest): Promise<string> {
  const address = fleetOf(session);
  if (address === undefined) throw refusal("say which Postgres the worker is for: --on postgres://… or SEGNO_ON");
  if (isOfCells(address)) return cellNamed((await cellsOfFleet()).cellsOf(address), cell).url;
  if (cell !== undefined) throw refusal(`the fleet is one Postgres, and has no cell ${cell}: leave out --cell`);
  return address;
}

function cellNamed(cells: readonly CellAddress[], name: string | undefined): CellAddress {
  const names = cells.map((cell) => cell.name);
  const cell = cells.find((one) => one.name === name);
  if (cell) return cell;
  if (name === undefined) throw refusal(`a worker serves one cell: say which with --cell (${names.join(", ")})`);
  throw refusal(`there is no cell ${name}; there are ${names.join(", ")}`, { suggestions: nearest(name, names) });
}

const GIVEN_UP = -1;

// Files that runs brought to this machine are removed when the runs have ended, wherever that was.

const OFTEN_MS = 10 * 60_000;

/** At once, for what a lost worker has left behind, and then again and again. */
function forgetFromTimeToTime(home: string, { fleet }: RunStore, { stops }: Drives): NodeJS.Timeout {
  const look = async (): Promise<void> => {
    for (const runId of unlessItThrows(() => readdirSync(join(home, "brought")), [])) {
      const standing = await fleet?.standing(runId);
      const isOver = !standing || (standing.isEnded && standing.status !== "paused");
      if (isOver && !stops.has(runId)) removeMaterialized(home, runId);
    }
  };
  // What cannot be asked now is asked the next time.
  const lookQuietly = (): void => void look().catch(() => {});
  lookQuietly();
  return setInterval(lookQuietly, OFTEN_MS).unref();
}

// What a worker does beside its drives: it fires triggers, reminds people, and answers other programs.

export interface DoorOfWorker {
  readonly deliver?: BackgroundJobs["deliver"];
  scrape(): Promise<string>;
}

interface BesideDrives {
  readonly said: (text: string) => void;
  /** A trusted project, whose triggers it fires. */
  readonly project?: Project;
  /** Opens a door for other programs; absent: this worker takes no requests. */
  readonly openDoor?: (door: DoorOfWorker) => Promise<{ readonly said: string; close(): Promise<void> }>;
  /** By which triggers fire and gates time out. */
  readonly clock?: HostClock;
  /** Called with what went wrong beside the drives; it is tried again. */
  readonly trouble?: (problem: unknown) => void;
}

export async function takeUpBeside(
  session: Session,
  { openDoor, project, said, clock: given, trouble = () => {} }: BesideDrives,
  { worker, all: store }: { readonly worker: RunStore; readonly all: RunStore },
  drives: Drives,
): Promise<{ close(): Promise<void> }> {
  const clock = given ?? clockOfStore(store);
  const stop = new AbortController();
  const runs = new BackgroundRuns();
  const duties = await startBackgroundJobs({
    session,
    store,
    project,
    // A run was placed on the fleet to be driven on.
    isOurs: () => true,
    runs,
    clock,
    signal: stop.signal,
    // A notice counts as work: a worker that leaves waits for it as for a step. Each has a time limit of its own.
    noticeSignal: new AbortController().signal,
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
    scrape: async () => (await import("../../telemetry/metrics.ts")).scrape(worker, session.project?.cell),
    deliver: duties.deliver,
  }).catch(async (problem: unknown) => {
    await close();
    throw problem;
  });
  if (project && duties.aboutTriggers) said(await duties.aboutTriggers(project.file));
  if (door) said(door.said);
  return {
    async close() {
      await door?.close();
      await close();
    },
  };
}
