// Which runs a filter of the list finds: by status, workflow, file and kind, and by a text in what is known of a run.

import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { type Awaitable, mapMaybe } from "../../../base/awaitable.ts";
import { keptIn } from "../../../base/errors/mapping.ts";
import { kindPattern } from "../../../services/dead-letters/select.ts";
import { shownPath } from "../../../services/session/files.ts";
import type { StoredRun } from "../../../storage/store.ts";
import { endedBadly, type RunFailures } from "./failures.ts";
import type { CatalogRun } from "./run-catalog.ts";

export interface ListFilter {
  /** Comma-separated; also `terminated:failed` and `terminated:success`. */
  readonly status?: string;
  readonly workflow?: string;
  /** As rows name it. */
  readonly file?: string;
  /** `name=value`: runs that were given this input. */
  readonly input?: string;
  /** A kind, or a pattern with `*`. */
  readonly kind?: string;
  readonly text?: string;
  /** An ISO time, or an age. */
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string;
  readonly limit?: number;
  /** Minutes east of UTC. */
  readonly tz?: number;
}

/** Of `name=value`. */
export function inputIn(text: string | undefined): Readonly<Record<string, string>> | undefined {
  const at = text?.indexOf("=") ?? -1;
  return text === undefined || at < 0 ? undefined : { [text.slice(0, at)]: text.slice(at + 1) };
}

interface FilterGround {
  readonly cwd: string;
  readonly kinds: (run: StoredRun) => readonly string[];
  readonly failures: RunFailures;
  readonly readingOn: ReadingOn;
}

/** So long an answer waits for journals to be read; the others are read on after it. */
export const MOMENT_MS = 25;

/** Oldest first. `unread`: how many may match by how they failed, which has not been read yet. */
export async function matchingRuns(
  runs: readonly CatalogRun[],
  filter: ListFilter,
  ground: FilterGround,
): Promise<{ readonly inDays: readonly CatalogRun[]; readonly unread: number }> {
  const { workflow, text } = filter;
  const statuses = statusesIn(filter.status);
  const isOfKind = filter.kind === undefined ? undefined : isOfKindIn(filter.kind, ground.kinds);
  const isOfFile = isOfFileIn(ground.cwd, filter.file);
  const plain =
    !statuses && workflow === undefined && filter.file === undefined && !isOfKind
      ? runs
      : runs.filter(
          ({ run, status }) =>
            (!statuses || statuses.has(status)) &&
            (workflow === undefined || run.workflow === workflow) &&
            isOfFile(run.file) &&
            (!isOfKind || isOfKind(run)),
        );
  if (text === undefined || text === "") return { inDays: plain, unread: 0 };
  return withText(plain, text.toLowerCase(), ground);
}

/** `terminated` is both ways in which a workflow ends itself. */
function statusesIn(text: string | undefined): ReadonlySet<string> | undefined {
  const words = text?.split(",").filter(Boolean) ?? [];
  if (words.length === 0) return undefined;
  return new Set(words.flatMap((word) => (word === "terminated" ? [`${word}:success`, `${word}:failed`] : [word])));
}

/** Kinds are few: each is held against the pattern once. */
function isOfKindIn(wanted: string, kindsOf: FilterGround["kinds"]): (run: StoredRun) => boolean {
  const pattern = kindPattern(wanted);
  const known = new Map<string, boolean>();
  const isIt = (kind: string): boolean => keptIn(known, kind, () => pattern(kind));
  return (run) => kindsOf(run).some(isIt);
}

function isOfFileIn(cwd: string, wanted: string | undefined): (file: string) => boolean {
  if (wanted === undefined) return () => true;
  const known = new Map<string, boolean>();
  return (file) => keptIn(known, file, () => shownPath(file, cwd) === wanted);
}

/** What the index has of a run is looked at first; how it failed is read where that says nothing, the newest first. */
async function withText(
  runs: readonly CatalogRun[],
  wanted: string,
  { failures, readingOn }: FilterGround,
): Promise<{ readonly inDays: readonly CatalogRun[]; readonly unread: number }> {
  const texts = new Map<string, boolean>();
  // Without a closure: it is asked three times for each of 100 000 runs.
  const has = (text: string | null): boolean => {
    if (text === null) return false;
    const known = texts.get(text);
    if (known !== undefined) return known;
    const isIn = text.toLowerCase().includes(wanted);
    texts.set(text, isIn);
    return isIn;
  };
  // Ids are letters and digits, written in capitals: most texts are in none of them.
  const idPart = /^[0-9a-z]{1,26}$/.test(wanted) ? wanted.toUpperCase() : undefined;
  const isAbout = ({ runId, name, workflow, file, failingKind }: StoredRun): boolean =>
    has(name) || has(workflow) || has(file) || has(failingKind) || (idPart !== undefined && runId.includes(idPart));
  const isMatching = new Uint8Array(runs.length);
  const toRead: number[] = [];
  for (let at = 0; at < runs.length; at++) {
    const { run } = runs[at] as CatalogRun;
    if (isAbout(run)) isMatching[at] = 1;
    else if (endedBadly(run)) toRead.push(at);
  }
  toRead.reverse();
  const failureOf = (at: number) => failures.of((runs[at] as CatalogRun).run);
  const { found, unread } = await readPiece(
    toRead,
    (at) =>
      mapMaybe(
        failureOf(at),
        (failure) =>
          failure !== null &&
          (failure.step?.toLowerCase().includes(wanted) || failure.message?.toLowerCase().includes(wanted)),
      ),
    MOMENT_MS,
  );
  for (const [nth, isIt] of found.entries()) if (isIt) isMatching[toRead[nth] as number] = 1;
  readingOn.want(toRead.slice(found.length).map((at) => () => failureOf(at)));
  return { inDays: runs.filter((_, at) => isMatching[at] === 1), unread };
}

// Reading many runs for one answer: as many as a short time allows, with pauses for other work. What was read once is
// at hand the next time, so the next request gets further.

/** So many are always read: a small store answers whole, however busy the machine is. */
const AT_LEAST = 25;
const MOST_MS = 400;
/** After this long, other work has a turn. */
const TURN_MS = 20;

interface ReadSoFar<Found> {
  readonly found: readonly Found[];
  readonly unread: number;
}

/** Reads from the first on, one after the other, at most so long. */
export async function readPiece<Thing, Found>(
  things: readonly Thing[],
  read: (thing: Thing) => Awaitable<Found>,
  mostMs = MOST_MS,
): Promise<ReadSoFar<Found>> {
  const found: Found[] = [];
  const began = performance.now();
  let turnBegan = began;
  for (const thing of things) {
    const one = read(thing);
    // What is at hand is in every answer, however busy the machine is: only what has to be read takes long.
    if (!(one instanceof Promise)) {
      found.push(one);
      continue;
    }
    const now = performance.now();
    if (found.length >= AT_LEAST && now - began > mostMs) {
      one.catch(() => {});
      break;
    }
    if (now - turnBegan > TURN_MS) {
      await turn();
      turnBegan = performance.now();
    }
    found.push(await one);
  }
  return { found, unread: things.length - found.length };
}

/** Without a request for that long, reading stops. */
const ASKED_MS = 5 * 60_000;
/** Reads on after an answer, a little at a time, until all is read, no request has come, or the server stops. */
export class ReadingOn {
  #reads: readonly (() => Awaitable<unknown>)[] = [];
  #done = 0;
  #askedAt = 0;
  #isReading = false;

  constructor(private readonly stopping?: AbortSignal) {}

  /** What to read next, in place of what was wanted before. */
  want(reads: readonly (() => Awaitable<unknown>)[]): void {
    this.#reads = reads;
    this.#done = 0;
    this.#askedAt = performance.now();
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#done < this.#reads.length && performance.now() - this.#askedAt < ASKED_MS) {
        // First: what asked has its answer before this goes on.
        await pause(TURN_MS, undefined, { signal: this.stopping, ref: false });
        await this.#readForATurn();
      }
      if (this.#done >= this.#reads.length) this.#reads = [];
    } catch {
      // The server stops; what cannot be read is said by the reading itself.
    } finally {
      this.#isReading = false;
    }
  }

  async #readForATurn(): Promise<void> {
    const until = performance.now() + TURN_MS;
    do {
      await this.#reads[this.#done++]?.();
    } while (this.#done < this.#reads.length && performance.now() < until);
  }
}
