// What all requests to one server share.
import { setTimeout as pause } from "node:timers/promises";
import type { Reader } from "../../base/results/index.ts";
import type { TriggerCommands } from "../../features/triggers/api/trigger-commands.ts";
import type { Project } from "../../services/project/read-project.ts";
import type { BackgroundRuns } from "../../services/runs/background.ts";
import type { Session } from "../../services/session/session.ts";
import type { CheckedFiles, WorkflowSummary } from "../../services/workflows/workflows.ts";
import type { BackgroundJobs } from "./background-jobs.ts";
import type { RunCommands } from "./commands/run-commands.ts";
import type { ListFeed } from "./list-feed.ts";
import type { PrintedOutputs } from "./views/printed/index.ts";
import type { ShownRuns } from "./views/run-list.ts";
import type { Keyframes } from "./views/run-past.ts";
import type { WatchedRun } from "./views/watched-run.ts";
import type { WatchedRuns } from "./views/watched-runs.ts";
import type { ShownFiles } from "./views/workflow-shown.ts";

export interface ServedRuns {
  /** Seen from the root: files are named from there. What it refuses is said in the words of the API. */
  readonly session: Session;
  /** In whose words a view of a run says what to do next; for people at a terminal when it is left out. */
  readonly pageReader?: Reader;
  readonly root: string;
  readonly readOnly: boolean;
  readonly person: string;
  readonly drives?: Project;
  /** Takes webhooks; absent when there are no triggers. */
  readonly deliver?: BackgroundJobs["deliver"];
  /** The next round of triggers begins now: one was fired by hand. */
  readonly wakeTriggers?: BackgroundJobs["wake"];
  scrape(): Promise<string>;
  readonly version: string;
  readonly runs: BackgroundRuns;
  readonly watched: WatchedRuns;
  readonly list: ShownRuns;
  /** The same for those who follow it. */
  readonly listFeed: ListFeed;
  readonly commands: RunCommands;
  readonly triggerCommands: TriggerCommands;
  readonly keyframesOf: (run: WatchedRun) => Keyframes;
  /** What was found about workflow files so far. */
  readonly checkedFiles: CheckedFiles<WorkflowSummary>;
  readonly shownFiles: ShownFiles;
  /** The file that `segno graph --watch` follows: absolute. */
  readonly preview?: string;
  readonly printed: PrintedOutputs;
  readonly readers: Readers;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Long enough for a page that is loaded anew to be back. */
const RELOAD_MS = 3000;

/** Connections that follow something: while there is one, the page is open. */
export class Readers {
  #open = 0;
  #left: (() => void) | undefined;
  /** Aborts when the page is opened for the first time. */
  readonly #firstCame = new AbortController();

  /** Whether anybody has had the page open at all. */
  get wereAny(): boolean {
    return this.#firstCame.signal.aborted;
  }

  enter(): () => void {
    this.#open += 1;
    this.#firstCame.abort();
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#open -= 1;
      this.#left?.();
    };
  }

  /** Resolves when the page was opened, or after `withinMs`. */
  async someoneCame(withinMs: number, signal: AbortSignal): Promise<void> {
    const enough = AbortSignal.any([signal, this.#firstCame.signal]);
    await pause(withinMs, undefined, { signal: enough }).catch(() => undefined);
  }

  /** Resolves when the page was closed and not opened again within `RELOAD_MS`; at once when it is not open. */
  async gone(): Promise<void> {
    while (this.#open > 0) {
      await new Promise<void>((resolve) => {
        this.#left = resolve;
      });
      if (this.#open === 0) await pause(RELOAD_MS);
    }
  }
}

export const serverTime = (): string => new Date().toISOString();
