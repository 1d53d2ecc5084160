// The embedded store: everything in the user's home, nothing to install or start. A folder for each run, with its journal.db; state.db for what runs share; index.db, the index of runs.
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { now } from "../faults.ts";
import { guarded } from "../files/guarded.ts";
import type { ProcessIdentity } from "../liveness.ts";
import { writePrivate } from "../private-files.ts";
import {
  type FiguresFilter,
  type FiguresPart,
  type IndexedRun,
  isOfId,
  onlyRun,
  partOfId,
  type RunFilter,
} from "../run-index.ts";
import type { RunMeta } from "../run-reader.ts";
import type { NewestFilter, NewRun, OpenOptions, RunStore, StoredRun, StoreUpkeep } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { DrivenRun } from "./driven-run.ts";
import { createJournal, driveJournal, isUnmade, journalPath, type Taking } from "./journal.ts";
import { type JournalReader, openReader } from "./journal-reader.ts";
import { isKept } from "./kept-with-run.ts";
import { canBeSeen, isRunningHere, Observer, seemsAlive, thisProcess } from "./liveness.ts";
import { removeRowsOfMoved, removeRuns } from "./prune.ts";
import { foldersOfRuns, isThere, makeHome, makeRunFolder, runFolder } from "./run-folders.ts";
import { openStateDb, type StateDb } from "./state-db.ts";

export interface StoreOptions {
  readonly now?: () => number;
  /** Milliseconds that pass whatever the clock says; as `now` counts them where that is given. */
  readonly elapsed?: () => number;
  readonly host?: string;
  readonly version?: string;
  /** How long to wait for a locked state.db, in milliseconds. */
  readonly busyMs?: number;
}

export class EmbeddedStore implements RunStore {
  readonly #now: () => number;
  readonly #who: ProcessIdentity;
  readonly #observer: Observer;
  readonly #open = new Set<DrivenRun>();
  #state: StateDb | undefined;

  constructor(
    readonly home: string,
    private readonly options: StoreOptions,
  ) {
    this.#now = options.now ?? now;
    this.#who = options.host === undefined ? thisProcess() : { ...thisProcess(), host: options.host };
    const elapsed = options.elapsed ?? options.now ?? (() => performance.now());
    this.#observer = new Observer(this.#who, this.#now, elapsed);
  }

  get hashKey(): string {
    return hashKeyOf(this.home);
  }

  get state(): StateDb {
    if (!this.#state) {
      this.#state = openStateDb(this.home, this.#now, this.#observer, this.options.busyMs);
      removeRowsOfMoved(this.home, this.#state);
    }
    return this.#state;
  }

  createRun(run: NewRun): DrivenRun {
    const now = this.#now();
    const { runId, workflow, file, durability } = run;
    const meta: RunMeta = {
      runId,
      workflow,
      file,
      durability,
      created: new Date(now).toISOString(),
      version: this.options.version ?? "",
    };
    const folder = guarded("making the folder of a run", runFolder(this.home, run.runId), () =>
      makeRunFolder(this.home, run.runId),
    );
    try {
      const journal = guarded(`beginning run ${run.runId}`, journalPath(folder), () =>
        createJournal(folder, meta, this.#taking(run.runId)),
      );
      const driven = this.#driven(folder, journal);
      try {
        this.state.runs.begin(run, this.#who, now);
      } catch (error) {
        driven.release();
        throw error;
      }
      return driven;
    } catch (error) {
      // Half a run would look like one that can be resumed.
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  clearUnmade(runId: string): boolean {
    const folder = runFolder(this.home, runId);
    if (!isThere(folder)) return false;
    if (!guarded(`opening run ${runId}`, journalPath(folder), () => isUnmade(folder))) return false;
    rmSync(folder, { recursive: true, force: true });
    return true;
  }

  #taking(runId: string): Taking {
    return {
      who: this.#who,
      now: this.#now(),
      observe: (holder) => this.#observer.observe(runId, holder, Date.parse(holder.heard)),
    };
  }

  openRun(runId: string, { takeOver = false }: OpenOptions = {}): DrivenRun {
    const folder = this.#existing(runId);
    const journal = guarded(`opening run ${runId}`, journalPath(folder), () =>
      driveJournal(folder, { ...this.#taking(runId), takeOver }),
    );
    return this.#driven(folder, journal);
  }

  #driven(folder: string, journal: ReturnType<typeof driveJournal>): DrivenRun {
    const { runId, created } = journal.meta;
    const run: DrivenRun = new DrivenRun(folder, journal, {
      now: this.#now,
      takeUp: () => {
        if (!this.state.runs.resume(runId, this.#who))
          this.state.runs.begin(journal.meta, this.#who, Date.parse(created));
      },
      index: (status, ending) => this.state.runs.setStatus(runId, status, ending, this.#now()),
      released: () => this.#open.delete(run),
    });
    this.#open.add(run);
    return run;
  }

  readRun(runId: string): JournalReader {
    return openReader(this.#existing(runId), runId);
  }

  #existing(runId: string): string {
    const folder = runFolder(this.home, runId);
    if (isThere(folder)) return folder;
    throw new StoreError("missing", `There is no run ${runId} in ${this.home}.`, folder);
  }

  findRun(idOrPart: string): string | undefined {
    const part = partOfId(idOrPart);
    if (part === undefined) return undefined;
    let found = this.state.runs.withPart(part);
    // Not indexed, perhaps: the folders are the truth.
    if (found.length === 0) found = foldersOfRuns(this.home).filter(isOfId(part));
    return onlyRun(part, found, this.home);
  }

  runs(filter: RunFilter = {}): StoredRun[] {
    removeRowsOfMoved(this.home, this.state);
    return this.state.runs.list(filter).map((run) => this.#summary(run));
  }

  figures(filter: FiguresFilter): FiguresPart {
    return this.state.runs.figures(filter);
  }

  newestRun({ resumable, ...filter }: NewestFilter = {}): StoredRun | undefined {
    if (resumable === undefined) return this.runs({ ...filter, limit: 1 })[0];
    const canResume = (run: StoredRun): boolean => run.resumable && (run.status !== "running" || run.crashed);
    for (const run of this.state.runs.list(filter)) {
      const summary = this.#summary(run);
      if (canResume(summary) === resumable) return summary;
    }
    return undefined;
  }

  summary(runId: string): StoredRun | undefined {
    const run = this.state.runs.get(runId);
    return run && this.#summary(run);
  }

  summaries(runIds: readonly string[]): StoredRun[] {
    return runIds.flatMap((runId) => this.summary(runId) ?? []);
  }

  #summary(run: IndexedRun): StoredRun {
    return {
      ...run,
      crashed: run.status === "running" && !this.#isDriven(run),
      ...(run.driver ? { isInReach: canBeSeen(run.driver, this.#who) } : {}),
    };
  }

  /** Here the process itself shows it; of one that cannot be seen only the heartbeat in the run's journal does. */
  #isDriven({ runId, driver }: IndexedRun): boolean {
    if (!driver) return false;
    if (canBeSeen(driver, this.#who)) return isRunningHere(driver);
    try {
      const reader = this.readRun(runId);
      try {
        const holder = reader.holder();
        return holder !== undefined && seemsAlive(holder, this.#now(), this.#who);
      } finally {
        reader.close();
      }
    } catch {
      return false;
    }
  }

  /** A prune does not wait for heartbeats. */
  #prunable(runId: string): Taking {
    const observe: Taking["observe"] = (holder) => ({
      is: this.#observer.isDead(runId, holder, Date.parse(holder.heard)) ? "dead" : "alive",
    });
    return { who: this.#who, now: this.#now(), observe };
  }

  removeRuns(runIds: readonly string[], failed?: (runId: string, message: string) => void): Promise<readonly string[]> {
    return removeRuns(this.home, this.state, (runId) => this.#prunable(runId), runIds, failed);
  }

  runsWithSecrets(): string[] {
    return foldersOfRuns(this.home).filter((runId) => isKept(runFolder(this.home, runId)));
  }

  /** What looks after the files is loaded only for `segno doctor`. */
  async upkeep(): Promise<StoreUpkeep> {
    const { doctorStore, censusOf, reindex } = await import("./upkeep.ts");
    return {
      check: (at) => doctorStore(this.home, at),
      census: () => censusOf(this.home),
      reindex: (summarize) => reindex(this.home, summarize),
    };
  }

  close(): void {
    for (const run of [...this.#open]) run.release();
    this.#state?.close();
    this.#state = undefined;
  }
}

/**
 * Opens the store in a folder, which is made when the first thing is written to it.
 *
 * @example
 * const store = openStore(join(homedir(), ".segno"));
 * const run = store.createRun({ runId: newRunId(), workflow: "release", file: "release.yaml", durability: "process" });
 */
export const openStore = (home: string, options: StoreOptions = {}): EmbeddedStore => new EmbeddedStore(home, options);

// The key under which environment values are digested for hashes: one for each store, made when first needed.

export function hashKeyOf(home: string): string {
  const file = join(home, "hash.key");
  return read(file) ?? made(home, file);
}

function read(file: string): string | undefined {
  try {
    const key = readFileSync(file, "utf8");
    // An empty file is what a crash of an older version left behind.
    return key === "" ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Written under another name and then linked: no process reads half a key, and the first of several processes wins. */
function made(home: string, file: string): string {
  const key = randomBytes(32).toString("hex");
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  makeHome(home);
  writePrivate(draft, key, false);
  try {
    linkSync(draft, file);
    return key;
  } catch {
    const first = read(file);
    if (first !== undefined) return first;
    // Where there are no links, or the file is there and empty, the last one counts.
    writePrivate(file, key, false);
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}
