// All that a run recorded, read once from its journal: its state, its story, and the files of each drive.
import type { RunEvent } from "../../events/registry.ts";
import { apply, initialState } from "../../events/state/fold.ts";
import type { RunState } from "../../events/state/state.ts";
import { cameTo } from "../../events/visits/visit-drives.ts";
import { VisitFold, withoutOutput } from "../../events/visits/visit-fold.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { Redactor } from "../../redact/index.ts";
import { redactEvent } from "../../results/index.ts";
import { beginsDrive, eachEvent, redactorFor } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import type { PinnedDefinition } from "./definition.ts";
import { type DriveStory, driveStory, type EnvironmentOf } from "./drive-story.ts";
import { Editions } from "./editions.ts";
import { noteOf } from "./notes.ts";
import type { Note } from "./story.ts";

export interface ReadStory {
  readonly state: RunState;
  readonly fold: StoryFold;
  readonly editions: Editions;
  readonly redactor: Redactor;
  /** The files of each drive that the fold has a chapter of. */
  readonly definitions: readonly PinnedDefinition[];
  /** Those of the last. */
  readonly latest: PinnedDefinition;
}

/** What scripts print and models say is no part of the story, and most of the journal. */
const NOT_IN_STORY: ReadonlySet<RunEvent["type"]> = new Set([
  "script_output",
  "agent_message",
  "agent_reasoning",
  "agent_prompt_rendered",
]);

export async function readStory(reader: RunReader, session: Session): Promise<ReadStory> {
  const redactor = await redactorFor(reader, session);
  const state = initialState(reader.runId);
  const editions = await Editions.read(reader, session);
  const fold = new StoryFold((path, node, before, now) =>
    editions.environmentOf(path, node, before, now > state.drives ? "now" : now),
  );
  await eachEvent(reader.events(), (event) => {
    apply(state, event);
    editions.add(event);
    if (NOT_IN_STORY.has(event.type)) fold.passed(event);
    else fold.add(redactEvent(withoutOutput(event), redactor));
  });
  const definitions = fold.chapters.map(({ drive }) => editions.ofDrive(drive));
  return { state, fold, editions, redactor, definitions, latest: definitions.at(-1) ?? editions.ofDrive(1) };
}

/**
 * From a run's events to the stories of its drives. The run's state keeps the latest of each step; a story needs what came
 * before it, which the fold of visits has.
 */
class StoryFold {
  readonly #fold = new VisitFold({ history: true, settles: true });
  /** One list for each drive. */
  readonly #notes: Note[][] = [];
  #wouldRun = new Map<string, string>();
  #isCutOff = false;
  #read: readonly DriveStory[] | undefined;

  constructor(private readonly environmentOf: EnvironmentOf) {}

  add(event: RunEvent): void {
    this.#read = undefined;
    this.#fold.add(event);
    if (beginsDrive(event)) {
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

  /** No more events will come, and no process drives the run. */
  cutOff(): void {
    this.#read = undefined;
    this.#isCutOff = true;
  }

  /** In a rehearsal: a step that would run. */
  wouldRun(key: string, definition: string): void {
    this.#read = undefined;
    this.#wouldRun.set(key, definition);
  }

  /** Visits of the root's file up to that event, as the drive came to them that recorded it. */
  cameTo(seq: number): Iterable<VisitRecord> {
    return cameTo(this.#fold.drives, seq);
  }

  /** What each drive did, in order. */
  get chapters(): readonly DriveStory[] {
    const { drives } = this.#fold;
    const context = { drives, environmentOf: this.environmentOf, isCutOff: this.#isCutOff, wouldRun: this.#wouldRun };
    this.#read ??= drives.map((drive, index) => driveStory(drive, { ...context, notes: this.#notes[index] ?? [] }));
    return this.#read;
  }
}
