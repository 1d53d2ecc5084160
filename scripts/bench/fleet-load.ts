// A fleet under load: how many runs a second it ends, what worker and server use of the processor for one, and how long a run
// waits for its first step. For the rows of the bench, and for the figures that `npm run simulate` reckons with.
import { setTimeout as pause } from "node:timers/promises";
import { type LoadedFleet, type Parts, startFleet } from "./loaded-fleet.ts";
import { median } from "./measured.ts";
import { mainThreadMs, processorSince } from "./processor.ts";

/** What a piece of work uses of the processor, in milliseconds, by who uses it. */
async function used<Name extends string, Found>(
  pids: Readonly<Record<Name, () => readonly number[]>>,
  work: () => Promise<Found>,
): Promise<{ readonly found: Found; readonly ms: Readonly<Record<Name, number>> }> {
  const since = (Object.entries(pids) as [Name, () => readonly number[]][]).map(
    ([name, of]) => [name, processorSince(of)] as const,
  );
  const found = await work();
  return { found, ms: Object.fromEntries(since.map(([name, ms]) => [name, ms()])) as Record<Name, number> };
}

const here = (): readonly number[] => [process.pid];

export interface LoadRequest {
  readonly workers: number;
  readonly steps: number;
  readonly runs: number;
}

export interface Load {
  readonly perSecond: number;
  /** Milliseconds of the processor for each run. */
  readonly workerMs: number;
  readonly serverMs: number;
  /** Of the worker's, what its main thread uses: that does one thing after the other. */
  readonly threadMs: number;
  /** How often a worker asked the queue for each run. */
  readonly looks: number;
  /** Milliseconds of the server for each run, waits included, by what was asked of it. */
  readonly parts: Parts;
  /** Bytes of the database for each run. */
  readonly bytes: number;
}

/** Runs that are placed while the workers stand still, and then ended by them. */
export async function drain(fleet: LoadedFleet, { workers, steps, runs }: LoadRequest): Promise<Load> {
  const sizeBefore = await fleet.bytes();
  for (let n = 0; n < runs; n += 20)
    await Promise.all(Array.from({ length: Math.min(20, runs - n) }, () => fleet.place(steps)));
  const [looks, parts] = [await fleet.looks(), await fleet.parts()];
  const thread = processorSince(() => fleet.workersOf(workers), mainThreadMs);
  const measured = await used({ server: fleet.server, worker: () => fleet.workersOf(workers) }, async () => {
    const began = performance.now();
    await fleet.wake(workers);
    await fleet.left(Math.floor(runs * 0.05));
    return { seconds: (performance.now() - began) / 1000, ended: runs - (await fleet.leftNow()) };
  });
  const { seconds, ended } = measured.found;
  const after = await fleet.parts();
  const load = {
    perSecond: ended / seconds,
    workerMs: measured.ms.worker / ended,
    serverMs: measured.ms.server / ended,
    threadMs: thread() / ended,
    looks: ((await fleet.looks()) - looks) / ended,
    parts: {
      take: (after.take - parts.take) / ended,
      begin: (after.begin - parts.begin) / ended,
      end: (after.end - parts.end) / ended,
    },
  };
  await fleet.left(0);
  const bytes = ((await fleet.bytes()) - sizeBefore) / runs;
  await fleet.rest();
  return { ...load, bytes };
}

/** Of several drains, once the workers are warm: those of the median of runs a second. */
export async function drained(inFolder: string, request: LoadRequest, turns = 3): Promise<Load> {
  const fleet = await startFleet(inFolder, request.workers);
  await drain(fleet, request);
  const loads: Load[] = [];
  for (let turn = 0; turn < turns; turn++) loads.push(await drain(fleet, request));
  await fleet.close();
  return loads.sort((a, b) => a.perSecond - b.perSecond)[turns >> 1] as Load;
}

export interface LatencyRequest {
  readonly workers: number;
  readonly rate: number;
  readonly seconds: number;
}

export interface Latency {
  /** From enqueue to the first step. */
  readonly p50: number;
  readonly p99: number;
  /** Medians: until a worker has taken it, from then until the first step, and from that to the last event. */
  readonly untilTaken: number;
  readonly untilBegun: number;
  readonly untilEnded: number;
  /** Milliseconds of the processor for each run. */
  readonly workerMs: number;
  readonly serverMs: number;
  readonly clientMs: number;
}

/** By the database's clock; runs of one step, placed at even distances, whether those before have ended or not. */
export async function latency(fleet: LoadedFleet, { workers, rate, seconds }: LatencyRequest): Promise<Latency> {
  await fleet.wake(workers);
  await pause(300);
  const pids = { server: fleet.server, worker: () => fleet.workersOf(workers), client: here };
  const { found: ids, ms } = await used(pids, async () => {
    const began = performance.now();
    const placed: Promise<string>[] = [];
    for (let n = 1; n <= rate * seconds; n++) {
      placed.push(fleet.place(1));
      await pause(Math.max(0, began + n * (1000 / rate) - performance.now()));
    }
    return Promise.all(placed);
  });
  await fleet.left(0);
  await fleet.rest();
  const parts = await fleet.waits(ids);
  const sorted = parts.map(({ begun }) => begun).sort((a, b) => a - b);
  return {
    p50: median(sorted),
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    untilTaken: median(parts.map(({ taken }) => taken)),
    untilBegun: median(parts.map(({ taken, begun }) => begun - taken)),
    untilEnded: median(parts.map(({ begun, ended }) => ended - begun)),
    workerMs: ms.worker / ids.length,
    serverMs: ms.server / ids.length,
    clientMs: ms.client / ids.length,
  };
}

export interface Placing {
  readonly clientMs: number;
  readonly serverMs: number;
  /** Milliseconds of placing one, and of these from its row to the end. */
  readonly ms: number;
  readonly lateMs: number;
}

/** Runs that are placed one after the other. */
export async function placeAlone(fleet: LoadedFleet, count: number): Promise<Placing> {
  const { found: placed, ms } = await used({ server: fleet.server, client: here }, async () => {
    const all: { readonly id: string; readonly ms: number; readonly at: number }[] = [];
    for (let n = 0; n < count; n++) {
      const began = performance.now();
      const id = await fleet.place(1);
      const ended = performance.now();
      all.push({ id, ms: ended - began, at: performance.timeOrigin + ended });
    }
    return all;
  });
  const rows = await fleet.placedAt(placed.map(({ id }) => id));
  await fleet.wake(1);
  await fleet.left(0);
  await fleet.rest();
  return {
    clientMs: ms.client / count,
    serverMs: ms.server / count,
    ms: median(placed.map((one) => one.ms)),
    lateMs: median(placed.map(({ id, at }) => at - (rows.get(id) ?? at))),
  };
}

export interface Idle {
  /** Milliseconds of the processor in a second. */
  readonly workerMs: number;
  readonly serverMs: number;
  /** A second. */
  readonly notices: number;
  readonly looks: number;
}

/** Workers that have nothing to do. Notices make those look that are awake, and they find nothing. */
export async function idle(fleet: LoadedFleet, workers: number, notices = 0): Promise<Idle> {
  const seconds = 4;
  await fleet.wake(workers);
  await pause(500);
  const looks = await fleet.looks();
  const pids = { server: fleet.server, worker: () => fleet.workersOf(workers) };
  const { found: sent, ms } = await used(pids, async () => {
    const end = performance.now() + seconds * 1000;
    let count = 0;
    while (performance.now() < end) {
      if (notices > 0) {
        await fleet.notice();
        count += 1;
      }
      await pause(notices > 0 ? 1000 / notices : 100);
    }
    return count;
  });
  const looked = (await fleet.looks()) - looks;
  await fleet.rest();
  return {
    workerMs: ms.worker / seconds,
    serverMs: ms.server / seconds,
    notices: sent / seconds,
    looks: looked / seconds,
  };
}
