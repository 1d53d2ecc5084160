// What a worker does beside its drives: it fires triggers, reminds people, and answers other programs.
import type { HostClock } from "../../hosts/clock.ts";
import type { RunStore } from "../../hosts/store.ts";
import { type BackgroundJobs, startBackgroundJobs } from "../project/background-jobs.ts";
import type { Project } from "../project/read-project.ts";
import { BackgroundRuns } from "../runs/background.ts";
import type { Session } from "../session/session.ts";
import { clockOfStore } from "../session/store.ts";
import { measureThisProcess } from "../telemetry/switch.ts";
import type { Drives } from "./drives.ts";

/** What can be asked of a worker. */
export interface DoorOfWorker {
  readonly deliver?: BackgroundJobs["deliver"];
  scrape(): Promise<string>;
}

export interface BesideDrives {
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
    ...(project ? { project } : {}),
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
    scrape: async () => (await import("../telemetry/scrape.ts")).scrape(worker, session.project?.cell),
    ...(duties.deliver ? { deliver: duties.deliver } : {}),
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
