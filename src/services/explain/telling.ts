// What is known while the events of a run are read: its chapters so far, and the visits of the present one by key.

import type { Envelope } from "../../errors/index.ts";
import { nodePath } from "../../events/key.ts";
import type { EventData } from "../../events/registry.ts";
import { type Earlier, whyAgain } from "./again.ts";
import type { ChapterEnd, Note } from "./story.ts";
import { isContainer, type MemberStatus, newRecord, type VisitRecord } from "./visit-record.ts";

/** A chapter while it is being told. */
export interface OpenChapter {
  readonly drive: number;
  readonly beganAt: string;
  readonly resumed: EventData<"run_resumed"> | undefined;
  readonly idleMs: number | null;
  /** What ran in the root's file, in order. */
  readonly visits: VisitRecord[];
  /** Visits that raised, in the order of their first error. */
  readonly troubled: VisitRecord[];
  readonly notes: Note[];
  end: ChapterEnd | null;
  /** The latest visit of a node in this chapter. */
  readonly lookup: (path: Path, node: string) => VisitRecord | undefined;
}

type Path = readonly string[];
type Step = Omit<EventData<"agent_started">, "iteration">;
type Ended = Pick<EventData<"agent_completed">, "key" | "elapsed" | "attempt" | "hash" | "definition">;

/** The variables that a step names, if it reads the same in the present drive as it did in that one. */
export type EnvironmentOf = (path: Path, node: string, before: number, now: number) => readonly string[] | undefined;

/** What a visit that nobody ended is called once its drive has. */
const LEFT: Readonly<Record<ChapterEnd["status"], VisitRecord["status"]>> = {
  paused: "paused",
  failed: "failed",
  cancelled: "cancelled",
  terminated: "cancelled",
  completed: "cancelled",
  degraded: "cancelled",
};

export class Telling {
  readonly chapters: OpenChapter[] = [];
  readonly #environmentOf: EnvironmentOf;
  /** The command of the latest process of a step. */
  readonly commands = new Map<string, string>();
  lastAt: string | undefined;
  /** How each visit ended last, over all drives. */
  readonly #earlier = new Map<string, Earlier>();
  #visits = new Map<string, VisitRecord>();
  /** The latest visit of a node, for events without a key. */
  #latest = new Map<string, VisitRecord>();
  /** A node's definition as it was last told, by path and name. */
  readonly #definitions = new Map<string, string>();
  /** Who called the sub-workflow at a path. */
  #callers = new Map<string, VisitRecord>();

  constructor(environmentOf: EnvironmentOf) {
    this.#environmentOf = environmentOf;
  }

  get chapter(): OpenChapter {
    const chapter = this.chapters.at(-1);
    if (!chapter) throw new Error("a run begins with workflow_started");
    return chapter;
  }

  begin(at: string, drive: number, resumed?: EventData<"run_resumed">): void {
    this.cutOff();
    const idleMs = this.lastAt === undefined ? null : Math.max(0, Date.parse(at) - Date.parse(this.lastAt));
    this.#visits = new Map();
    const latest = new Map<string, VisitRecord>();
    const lookup = (path: Path, node: string) => latest.get(nodePath(path, node));
    this.chapters.push({ drive, beganAt: at, resumed, idleMs, visits: [], troubled: [], notes: [], end: null, lookup });
    this.#latest = latest;
    this.#callers = new Map();
  }

  /** Whatever still ran when the drive left no word. */
  cutOff(): void {
    for (const visit of this.#visits.values()) {
      if (visit.status !== "running") continue;
      visit.status = "cut_off";
      if (!isContainer(visit)) this.#earlier.set(visit.key, { ...this.#earlier.get(visit.key), ended: "cut off" });
    }
  }

  end(at: string, status: ChapterEnd["status"], message: string | null): void {
    this.chapter.end = { status, at, message };
    for (const visit of this.#visits.values()) if (visit.status === "running") visit.status = LEFT[status];
  }

  find(path: Path, key: string | undefined, node: string): VisitRecord | undefined {
    return this.#visits.get(key ?? "") ?? this.#latest.get(nodePath(path, node));
  }

  /** The record of a visit, made when it is first heard of, and listed where it belongs. */
  visit(path: Path, { key, agent_name: node, agent_type: type, group, item_key: itemKey }: Step): VisitRecord {
    const known = this.#visits.get(key);
    if (known) return known;
    const visit = newRecord({ key, node, type, path, group, itemKey });
    this.#visits.set(key, visit);
    this.#latest.set(nodePath(path, node), visit);
    if (group === undefined) this.#listAt(path)?.push(visit);
    else this.member(visit, "running");
    return visit;
  }

  /** Where visits at a path are told: the root, a sub-workflow's caller; nowhere for what is inside an item. */
  #listAt(path: Path): VisitRecord[] | undefined {
    return path.length === 0 ? this.chapter.visits : this.#callers.get(path.join("/"))?.inner;
  }

  ended(data: Ended, how: "ok" | "failed"): VisitRecord | undefined {
    const visit = this.#visits.get(data.key);
    if (!visit) return undefined;
    const { hash } = data;
    // Told once a drive for each node.
    const place = nodePath(visit.path, visit.node);
    if (data.definition !== undefined) this.#definitions.set(place, data.definition);
    const definition = this.#definitions.get(place);
    if (this.chapter.resumed && visit.definition === undefined) this.#askWhy(visit, { hash, definition });
    visit.attempts = data.attempt;
    visit.elapsedMs += data.elapsed * 1000;
    visit.hash = hash;
    visit.definition = definition;
    this.#earlier.set(visit.key, { ended: how, hash, definition, drive: this.chapter.drive });
    return visit;
  }

  #askWhy(visit: VisitRecord, now: { readonly hash?: string; readonly definition?: string }): void {
    const earlier = this.#earlier.get(visit.key);
    const { drive, resumed } = this.chapter;
    visit.why = whyAgain(earlier, { ...now, isContainer: isContainer(visit) }, resumed ?? {}, () =>
      earlier?.drive === undefined ? undefined : this.#environmentOf(visit.path, visit.node, earlier.drive, drive),
    );
  }

  /** A visit that has only begun, in a rehearsal, which knows its definition. */
  wouldRun(key: string, definition: string): void {
    const visit = this.#visits.get(key);
    if (visit) this.#askWhy(visit, { definition });
  }

  /** A failure that a route took is an outcome that can be reused. */
  taken(visit: VisitRecord): void {
    if (visit.status !== "reused") visit.status = "recovered";
    this.#earlier.set(visit.key, { ...this.#earlier.get(visit.key), ended: "ok" });
  }

  /** An error that replaced the one whose routes were being read: a condition could not be evaluated. */
  unreadable(path: Path, node: string | null, error: Envelope | undefined): void {
    const visit = node === null ? undefined : this.find(path, undefined, node);
    const first = visit?.errors.at(-1);
    if (!visit?.reading || visit.reading.routed || !first || !error?.cause) return;
    const isAbout = error.cause.kind === first.kind && error.cause.message === first.message;
    if (isAbout && error.message !== first.message) visit.reading = { ...visit.reading, problem: error.message };
  }

  groupStarted(path: Path, { key, group_name }: { key: string; group_name: string }, count: number): void {
    const visit = this.find(path, key, group_name);
    if (!visit) return;
    visit.members ??= { count, states: new Map() };
    visit.members.count = count;
  }

  memberEnded(path: Path, group: string, name: string, status: MemberStatus): void {
    const states = this.#latest.get(nodePath(path, group))?.members?.states;
    if (states && !(states.get(name) === "reused" && status === "completed")) states.set(name, status);
  }

  /** Notes how a member stands, when the visit is one. */
  member({ path, group, itemKey, node }: VisitRecord, status: MemberStatus): void {
    if (group !== undefined) this.memberEnded(path, group, itemKey ?? node, status);
  }

  calls(path: Path, key: string, slot: string): void {
    const caller = this.#visits.get(key);
    if (!caller) return;
    caller.inner = [];
    this.#callers.set([...path, slot].join("/"), caller);
  }
}
