// From a run's events to the stories of its drives. The run's state keeps the latest of each step; a story needs what came
// before it, which the fold of visits has.
import type { RunEvent } from "../../events/registry.ts";
import { VisitFold } from "../../events/visit-fold.ts";
import { type DriveStory, driveStory, type EnvironmentOf } from "./drive-story.ts";
import { noteOf } from "./notes.ts";
import type { Note } from "./story.ts";

export class StoryFold {
  readonly #fold = new VisitFold({ history: true });
  readonly #environmentOf: EnvironmentOf;
  /** One list for each drive. */
  readonly #notes: Note[][] = [];
  #wouldRun = new Map<string, string>();
  #isCutOff = false;
  #read: readonly DriveStory[] | undefined;

  constructor(environmentOf: EnvironmentOf = () => undefined) {
    this.#environmentOf = environmentOf;
  }

  add(event: RunEvent): void {
    this.#read = undefined;
    this.#fold.add(event);
    if (event.type === "workflow_started" || event.type === "run_resumed") {
      this.#notes.push([]);
      this.#wouldRun = new Map();
      this.#isCutOff = false;
    }
    const note = noteOf(event);
    const notes = this.#notes.at(-1);
    // All items of a group say the same of their step's files.
    const isNew = event.type !== "agent_reused" || !notes?.some(({ message }) => message === note?.message);
    if (note && isNew) notes?.push(note);
  }

  /** An event that is no part of the story: it tells how long a drive went on that was cut off. */
  passed(event: RunEvent): void {
    this.#read = undefined;
    this.#fold.passed(event);
  }

  /** No more events will come, and nobody drives the run. */
  cutOff(): void {
    this.#read = undefined;
    this.#isCutOff = true;
  }

  /** In a rehearsal: a step that would run. */
  wouldRun(key: string, definition: string): void {
    this.#read = undefined;
    this.#wouldRun.set(key, definition);
  }

  /** What each drive did, in order. */
  get chapters(): readonly DriveStory[] {
    const { drives } = this.#fold;
    const context = { drives, environmentOf: this.#environmentOf, isCutOff: this.#isCutOff, wouldRun: this.#wouldRun };
    this.#read ??= drives.map((drive, index) => driveStory(drive, { ...context, notes: this.#notes[index] ?? [] }));
    return this.#read;
  }
}
