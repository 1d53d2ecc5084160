// Questions that wait while no process drives their run: a server resumes runs whose question timed out, and sends the
// reminders that the steps ask for.
import type { Question } from "../../engine/people/ask.ts";
import type { HostClock } from "../../hosts/clock.ts";
import type { OpenQuestion } from "../../hosts/shared-state.ts";
import type { RunStore } from "../../hosts/store.ts";
import { isUnreadable } from "../../hosts/store-error.ts";
import type { BackgroundRuns } from "../runs/background.ts";
import { resumeRun } from "../runs/resume.ts";
import type { Session } from "../session/session.ts";
import { remind, remindingOf } from "./remind.ts";

export interface WatchingGates {
  readonly session: Session;
  readonly store: RunStore;
  /** Where runs go on that are driven on. */
  readonly runs: BackgroundRuns;
  /** Only runs of these files. */
  readonly isOurs: (file: string) => boolean;
  readonly clock: HostClock;
  /** Ends notices that are being sent. */
  readonly noticeSignal: AbortSignal;
  /** Called with what went wrong; the next round tries again. */
  readonly trouble: (problem: unknown) => void;
}

export class GateWatch {
  readonly #options: WatchingGates;
  /** When each that was seen is next said again: never, or a time. */
  readonly #next = new Map<string, number>();
  readonly #underway = new Set<string>();
  readonly #telling = new Set<Promise<void>>();

  constructor(options: WatchingGates) {
    this.#options = options;
  }

  async round(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const pending = await store.state.gates.pending();
    const names = new Set(pending.map(nameOf));
    for (const name of this.#next.keys()) if (!names.has(name)) this.#next.delete(name);
    for (const open of pending) {
      const asked = open.question as Question;
      if (asked.kind === "dialog" || this.#underway.has(open.runId)) continue;
      const isOver = asked.deadline !== undefined && Date.parse(asked.deadline) <= now;
      if (!isOver && (this.#next.get(nameOf(open)) ?? 0) > now) continue;
      if (!(await this.#isAtRest(open.runId))) continue;
      if (isOver) this.#driveOn(open.runId);
      else await this.#remind(open, now);
    }
  }

  /** Resolves when no reminder is being sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#telling);
  }

  /** One that is driven notices by itself. */
  async #isAtRest(runId: string): Promise<boolean> {
    const { store, isOurs } = this.#options;
    const run = await store.summary(runId);
    return run?.status === "paused" && isOurs(run.file);
  }

  #driveOn(runId: string): void {
    const { runs, session, trouble } = this.#options;
    this.#underway.add(runId);
    runs
      .start((driving) => resumeRun(session, { ...driving, target: runId, inputs: {} }))
      .result.catch(trouble)
      .finally(() => this.#underway.delete(runId));
  }

  /** One that is sealed with a key that is not here is for others to say again, and keeps no other from being looked at. */
  async #firstReminder(open: OpenQuestion): Promise<number> {
    const { store, session, trouble } = this.#options;
    try {
      return (await remindingOf(store, open, session))?.at ?? Infinity;
    } catch (problem) {
      if (!isUnreadable(problem)) throw problem;
      trouble(problem);
      return Infinity;
    }
  }

  async #remind(open: OpenQuestion, now: number): Promise<void> {
    const { store, session, clock, noticeSignal: signal, trouble } = this.#options;
    const name = nameOf(open);
    const known = this.#next.get(name) ?? (await this.#firstReminder(open));
    this.#next.set(name, known);
    if (known > now) return;
    // A command that tells people may take a while, and others wait for theirs.
    this.#next.set(name, Infinity);
    const telling: Promise<void> = remind(open, { store, session, signal, clock })
      .then(async (next) => {
        this.#next.set(name, next?.at ?? now + LATER_MS);
        // An answer that came in the moment in which the reminder was recorded found the run taken.
        if (await store.state.gates.get(open.runId, open.key)) this.#driveOn(open.runId);
      })
      .catch((problem: unknown) => {
        this.#next.set(name, now + LATER_MS);
        trouble(problem);
      })
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }
}

/** Another process has the run, or the attempt failed. */
const LATER_MS = 5000;

const nameOf = ({ runId, key, presented }: OpenQuestion): string => `${runId} ${key} ${presented}`;
