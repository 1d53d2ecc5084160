// GET /api/stream: one connection that follows any number of runs, and the list of runs. A message is made only after
// the client took the one before, so a slow client needs no memory beyond the tail that its run keeps. Events that have
// left the tail are reported as a gap.
import { setTimeout as pause } from "node:timers/promises";
import type { ListReader } from "./list-feed.ts";
import { problemOf, TooMany } from "./problems.ts";
import { type ServedRuns, serverTime } from "./served-runs.ts";
import { joinDeltas } from "./views/sent-events.ts";
import type { WatchedRun } from "./views/watched-run.ts";

const BATCH_MS = 50;
const BATCH_BYTES = 64 * 1024;
const PING_MS = 15_000;
/** A comment, which readers of server-sent events skip: it shows that the server does not hang. */
const HEARTBEAT = ":\n\n";
const HEARTBEAT_MS = 1000;

interface Position {
  readonly run: string;
  readonly seq: number;
}

/** `ID:SEQ`, of which the number may be left out. */
export function positionOf(text: string): Position | undefined {
  const found = /^([0-9A-Za-z]+)(?::(\d{1,15}))?$/.exec(text);
  return found?.[1] === undefined ? undefined : { run: found[1], seq: Number(found[2] ?? 0) };
}

interface Followed {
  readonly run: WatchedRun;
  leave(): void;
  /** What the reader knows of it. */
  position: number;
  isCutOff: boolean;
}

/** The messages of one connection, as text. Ends when the reader goes or the server stops. */
export async function* messages(
  serving: ServedRuns,
  wanted: { readonly runs: readonly Position[]; readonly list: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const followed: Followed[] = [];
  const list = wanted.list ? serving.listFeed.enter() : undefined;
  let pingDue = 0;
  try {
    for (const { run, seq } of wanted.runs) {
      try {
        const one = { ...(await serving.watched.follow(run)), position: seq, isCutOff: false };
        // By the beginning of its id it may have been named before.
        if (followed.some((other) => other.run === one.run)) one.leave();
        else followed.push(one);
      } catch (problem) {
        yield message("problem", { run_id: run, message: problemOf(problem).message });
      }
    }
    while (!signal.aborted) {
      const time = performance.now();
      if (time >= pingDue) {
        pingDue = time + PING_MS;
        yield message("ping", { server_time: serverTime() });
      }
      if (list) {
        const changes = await list.next();
        if (changes.rows.length > 0 || changes.removed.length > 0) yield message("runs", changes);
      }
      for (const one of followed) yield* newOf(one);
      await somethingNew(followed, list, { ms: Math.max(1, pingDue - performance.now()), signal });
      // What comes close together is sent together.
      await pause(BATCH_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    for (const { leave } of followed) leave();
    list?.leave();
  }
}

/** Everything after the position, a batch at a time. */
function* newOf(followed: Followed): Generator<string> {
  const { run } = followed;
  // A position of the future is one of another store, or of a journal that lost its end: begin with what there is.
  if (followed.position > run.position) yield gap(followed, 0, run.position);
  while (followed.position < run.position) {
    const found = run.tailAfter(followed.position, BATCH_BYTES);
    if (found === undefined) {
      yield gap(followed, followed.position, run.tailFrom);
      continue;
    }
    const from = followed.position;
    followed.position = found.at(-1)?.seq ?? run.position;
    const events = joinDeltas(found);
    yield message("events", { run_id: run.runId, from, to: followed.position, events }, followed);
  }
  if (followed.isCutOff !== run.isCutOff) {
    followed.isCutOff = run.isCutOff;
    yield message("driver", { run_id: run.runId, is_gone: run.isCutOff }, followed);
  }
}

function gap(followed: Followed, from: number, to: number): string {
  followed.position = to;
  return message("gap", { run_id: followed.run.runId, from, to }, followed);
}

async function somethingNew(
  followed: readonly Followed[],
  list: ListReader | undefined,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(stop, ms);
  try {
    const changes = followed.map((one) => one.run.changed(one, enough.signal));
    if (list) changes.push(list.changed(enough.signal));
    const waited = new Promise<void>((resolve) =>
      enough.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    if (signal.aborted) return;
    await Promise.race([...changes, waited]);
  } finally {
    clearTimeout(timer);
    enough.abort();
    signal.removeEventListener("abort", stop);
  }
}

function message(name: string, data: object, { run, position }: Partial<Followed> = {}): string {
  const id = run ? `id: ${run.runId}:${position}\n` : "";
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The connection's body: made as it is read. The reader gets something every second. */
export function streamBody(texts: AsyncGenerator<string>, leave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          next ??= texts.next();
          const taken = await within(HEARTBEAT_MS, next);
          if (taken === undefined) return controller.enqueue(encoder.encode(HEARTBEAT));
          next = undefined;
          if (taken.done) controller.close();
          else controller.enqueue(encoder.encode(taken.value));
        } catch (problem) {
          controller.error(problem);
        }
      },
      async cancel() {
        leave();
        await texts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function within<Value>(ms: number, coming: Promise<Value>): Promise<Value | undefined> {
  const enough = new AbortController();
  try {
    return await Promise.race([coming, pause(ms, undefined, { signal: enough.signal }).catch(() => undefined)]);
  } finally {
    enough.abort();
  }
}

// Limits the open streams of each visitor: a stream costs a connection and a reader of every run in it.

const MOST_STREAMS = 16;
const MOST_FOLLOWED = 100;

export class OpenStreams {
  readonly #open = new Map<string, number>();

  /** Gives what to call when the stream ends. Throws `TooMany`. */
  enter(whose: string): () => void {
    const count = this.#open.get(whose) ?? 0;
    if (count >= MOST_STREAMS)
      throw new TooMany(`you have ${MOST_STREAMS} streams open, and more are not kept; close some of the pages`);
    this.#open.set(whose, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(whose) ?? 1) - 1;
      if (left > 0) this.#open.set(whose, left);
      else this.#open.delete(whose);
    };
  }
}

/** Each run once, from the earliest place that was asked for. Throws `TooMany`. */
export function eachOnce(wanted: readonly Position[]): readonly Position[] {
  const runs = new Map<string, Position>();
  for (const one of wanted) {
    const known = runs.get(one.run);
    if (!known || one.seq < known.seq) runs.set(one.run, one);
  }
  if (runs.size > MOST_FOLLOWED) throw new TooMany(`one stream follows ${MOST_FOLLOWED} runs at most`);
  return [...runs.values()];
}
