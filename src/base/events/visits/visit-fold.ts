// The one fold over a run's past: every visit by its key, with its attempts in all drives. What a resume may build on, stories,
// spans, drawings and scenarios are read from it.
import { nodePath, visitKey } from "../key.ts";
import { isContainer } from "../node-types.ts";
import type { EventData, RunEvent } from "../registry.ts";
import type { RunEndEvent } from "../run-end.ts";
import { listedChanges, recalledChanges } from "../step-files.ts";
import { shellLine } from "../typeable.ts";
import { heardOfPeople, VisitErrors } from "./visit-errors.ts";
import {
  attemptBegan,
  attemptEnded,
  attemptTakenOver,
  isVisitedIn,
  keepFact,
  keepProblem,
  VisitProcesses,
} from "./visit-history.ts";
import { VisitIndex } from "./visit-index.ts";
import { Containers, DriveList } from "./visit-places.ts";
import {
  type DriveRecord,
  endWaits,
  forget,
  type Hears,
  type MomentOfDrive,
  type VisitRecord,
} from "./visit-record.ts";

type Path = readonly string[];
type Step = Omit<EventData<"agent_started">, "iteration">;
type ScriptEnd = Pick<EventData<"script_completed">, "key" | "agent_name" | "changed_files">;
type Completed = Extract<RunEvent, { readonly type: "agent_completed" }>;

interface VisitFoldOptions {
  readonly history: boolean;
  /** With history: what went well is kept in few bytes, without routes, files and command. For long runs. */
  readonly settles?: boolean;
  readonly definitions?: Iterable<readonly [string, string]> | undefined;
}

/**
 * It decides which visit an event is about; the readers never look at events of steps themselves. What happened is kept as
 * facts with their drive, number and time, never as a verdict: what became of a visit is for each reader to say. A resume
 * needs the outcomes alone, so it folds without `history`. The state of a live run (`state/fold.ts`) is another fold on
 * purpose: it keeps the latest of each node, not each visit, so that a run of 50 000 steps is no larger than one of 50.
 */
export class VisitFold {
  readonly #drives: DriveList;
  readonly #visits: VisitIndex;
  readonly #containers: Containers;
  readonly #keepsHistory: boolean;
  readonly #keepsRoutes: boolean;
  readonly #errors: VisitErrors;
  readonly #processes = new VisitProcesses();
  readonly #heard: Hears;
  /** A node's definition as it was recorded last, by path and name: it is recorded once a drive. */
  readonly #definitions: Map<string, string>;
  /** The command of a node's latest process, by key, or by path and name. */
  readonly #commands = new Map<string, string>();

  /** `definitions`: those that were recorded before the first event that it is given. */
  constructor({ history, settles = false, definitions = [] }: VisitFoldOptions) {
    this.#keepsHistory = history;
    this.#keepsRoutes = history && !settles;
    this.#definitions = new Map(definitions);
    this.#visits = new VisitIndex(history, settles);
    this.#drives = new DriveList(history, this.#visits);
    this.#errors = new VisitErrors(this.#visits);
    this.#containers = new Containers(this.#visits, this.#errors.failures);
    const shares = [this.#errors.heard, this.#containers.heard, heardOfPeople(this.#visits), this.#ownShare()];
    // A journal may have been edited: an event of the type `constructor` is none that is known.
    this.#heard = Object.assign(Object.create(null), ...shares) as Hears;
  }

  get drives(): readonly DriveRecord[] {
    return this.#drives.all;
  }

  /** By key, in the order in which they were first heard of. */
  get visits(): ReadonlyMap<string, VisitRecord> {
    return this.#visits.all;
  }

  add(event: RunEvent): void {
    const heard = this.#heard[event.type] as ((event: RunEvent, moment: MomentOfDrive) => void) | undefined;
    heard?.(event, this.#drives.momentOf(event));
    this.#drives.heard(event);
  }

  /** An event that tells nothing of visits but that its drive was alive, such as what a script printed. */
  passed(event: RunEvent): void {
    this.#drives.heard(event);
  }

  #ownShare(): Hears {
    const ends = (event: RunEndEvent): void => this.#drives.end(event);
    const begins = (event: DriveRecord["began"]): void => {
      this.#drives.begin(event);
      this.#containers.beginDrive();
      if (event.type === "run_resumed") this.#startAnew(event.data);
    };
    return {
      workflow_started: begins,
      run_resumed: begins,
      workflow_completed: ends,
      run_paused: ends,
      run_cancelled: ends,
      keyframe_resumed: ({ data }) => this.#drives.goOnFrom(data.seq),
      workflow_failed: (event, moment) => {
        keepProblem(this.#visits.latest(event.path, event.data.agent_name), event.data.error, moment);
        this.#errors.failures.endAll();
        ends(event);
      },

      agent_started: ({ path, data }, moment) => this.#began(path, data, moment),
      agent_completed: (event, moment) => this.#ended(event, moment),
      agent_failed: (event, moment) => this.#ended(event, moment),
      agent_cancelled: (event, moment) => this.#cancelled(event, moment),
      agent_reused: ({ path, data }, moment) => this.#reused(path, data, moment),
      agent_session: ({ path, data }) => {
        const { id, provider } = data;
        this.#visits.at(path, data).session = { id, provider };
      },
      script_started: ({ path, data }) => this.#scriptStarted(path, data),
      script_completed: ({ path, data }) => this.#scriptEnded(path, data),
      script_failed: ({ path, data }) => this.#scriptEnded(path, data),
      script_spawned: ({ path, data }) => this.#processes.spawned(this.#visits.at(path, data), data),
      orphan_ended: ({ data }) => this.#processes.orphanEnded(data.pid),
      wait_started: ({ path, data: { key, agent_name }, ts }) => {
        if (key !== undefined) waits(this.#visits.at(path, { key, agent_name }), Date.parse(ts));
      },

      circuit_awaited: ({ path, data: { key, node: agent_name, breaker, since, in_attempt } }) => {
        const isAll = in_attempt !== true;
        this.#visits.at(path, { key, agent_name }).held = { breaker, since: Date.parse(since), isAll };
      },
      circuit_passed: ({ path, data: { key, node: agent_name } }) => {
        this.#visits.at(path, { key, agent_name }).held = undefined;
      },

      route_taken: ({ path, data: route }, moment) => {
        if (this.#keepsRoutes) keepFact(this.#visits.latest(path, route.from_agent), "routes", { ...moment, route });
      },
      subworkflow_started: ({ path, data }, moment) => {
        if (this.#keepsHistory) this.#containers.called(path, data, moment);
      },
      subworkflow_failed: ({ path, data: { slot, error } }, moment) => {
        if (error) keepProblem(this.#visits.latest([...path, slot], error.raised_at.node), error, moment);
      },
    };
  }

  /** The visit of a step that begins, or is reused, in the present drive. */
  #arrived(path: Path, data: Step, { drive }: MomentOfDrive): VisitRecord {
    const visit = this.#visits.at(path, data);
    visit.type = data.agent_type;
    visit.group ??= data.group;
    visit.itemKey ??= data.item_key;
    this.#visits.arrived(path, data.agent_name, visit);
    if (this.#keepsHistory && !isVisitedIn(visit, drive)) {
      this.#drives.list(visit);
      this.#containers.list(visit, drive);
    }
    return visit;
  }

  #began(path: Path, data: EventData<"agent_started">, moment: MomentOfDrive): void {
    const visit = this.#arrived(path, data, moment);
    attemptBegan(visit, data, moment);
    visit.pendingRetry = undefined;
    visit.held = undefined;
    // It was entered again after it had failed, as a retry of letters does: how it failed is past.
    const { outcome } = visit;
    if (isContainer(data.agent_type) && outcome?.ok === false && outcome.routed !== "again") visit.outcome = undefined;
  }

  #ended(event: Extract<RunEvent, { type: "agent_completed" | "agent_failed" }>, moment: MomentOfDrive): void {
    const { path, data } = event;
    const visit = this.#visits.at(path, data);
    const place = nodePath(path, data.agent_name);
    if (data.definition !== undefined) this.#definitions.set(place, data.definition);
    const definition = this.#definitions.get(place);
    const { output, elapsed, hash } = data;
    // A step that gave nothing before it raised is not one that gave null: templates can tell.
    const changes = recalledChanges(data);
    visit.outcome = { ok: event.type === "agent_completed", output, elapsed, definition, hash };
    if (changes) visit.outcome.changes = changes;
    if (event.type === "agent_failed") {
      visit.outcome.failedAt = event.ts;
      if (event.data.error_type === "ValidationError") visit.outcome.unopted = true;
      if (event.data.breaker) visit.outcome.breaker = event.data.breaker;
    }
    visit.pendingRetry = undefined;
    endWaits(visit);
    this.#processes.ended(visit);
    this.#errors.failures.ended(visit);
    const attempt = attemptEnded(visit, event, moment);
    if (!this.#keepsHistory) return;
    // A terminate step was to end the workflow, and did.
    if (data.is_explicit) this.#errors.gotToItsEnd(path, data.agent_name, moment);
    attempt.definition = definition;
    attempt.ending = event.type === "agent_failed" ? event : withoutFields(event, "output", "changes");
    attempt.changes = listedChanges(data);
    visit.outcome.output = undefined;
    visit.outcome.changes = undefined;
    attempt.command = this.#commands.get(data.key) ?? this.#commands.get(place);
  }

  #cancelled(event: Extract<RunEvent, { type: "agent_cancelled" }>, moment: MomentOfDrive): void {
    const visit = this.#visits.at(event.path, event.data);
    visit.waitLeftSince = undefined;
    visit.held = undefined;
    this.#processes.ended(visit);
    if (!this.#keepsHistory) return;
    attemptEnded(visit, event, moment).ending = event;
    this.#containers.memberIs("cancelled", visit, moment.drive);
  }

  #reused(path: Path, data: EventData<"agent_reused">, moment: MomentOfDrive): void {
    const { agent_name, key, hash, from_run } = data;
    const isOfOtherRun = from_run !== undefined && "output" in data;
    if (this.#keepsHistory) {
      const visit = this.#arrived(path, data, moment);
      keepFact(visit, "reuses", { ...moment, type: data.agent_type, kind: data.kind, fromRun: from_run });
      this.#containers.memberIs("reused", visit, moment.drive);
    }
    // An outcome of this run: a resume knows it already.
    const visit = isOfOtherRun ? this.#visits.at(path, data) : this.#visits.get(key);
    if (visit) this.#visits.arrived(path, agent_name, visit);
    if (!visit || !isOfOtherRun) return;
    // Readers of the past find it among the reuses.
    if (!this.#keepsHistory) attemptTakenOver(visit, data, moment);
    visit.outcome = { ok: true, hash, output: data.output, changes: recalledChanges(data), elapsed: 0 };
    visit.files = data.files;
  }

  /** `--force` and `--from`: what is not reused then is not reused by a later resume either. */
  #startAnew({ force, from }: EventData<"run_resumed">): void {
    let isAnew = force === true;
    // In the order in which they were first met: what comes before the step was met before it.
    for (const key of this.#visits.keys()) {
      isAnew ||= from !== undefined && key === visitKey("", from, 1);
      const visit = isAnew ? this.#visits.get(key) : undefined;
      if (visit) forget(visit);
    }
  }

  #scriptEnded(path: Path, { key, agent_name, changed_files = [] }: ScriptEnd): void {
    const visit = this.#visits.find(path, key, agent_name);
    if (visit && changed_files.length > 0)
      visit.files = visit.files?.filter((file) => !changed_files.includes(file.path));
  }

  #scriptStarted(path: Path, { key, agent_name, command, args, files }: EventData<"script_started">): void {
    const visit = this.#visits.find(path, key, agent_name);
    if (visit) visit.files = files;
    if (!this.#keepsHistory) return;
    const line = shellLine([command, ...args]);
    this.#commands.set(key ?? nodePath(path, agent_name), line);
    const attempt = visit?.attempts.at(-1);
    if (attempt && attempt.end === undefined) attempt.command = line;
  }
}

/** Field by field: objects that V8 makes by spreading stay until the whole heap is collected, which grows to twice the size. */
function withoutFields(event: Completed, ...names: readonly ("output" | "changes")[]): Completed {
  const given = event.data as Readonly<Record<string, unknown>>;
  if (!names.some((name) => name in given)) return event;
  const data: Record<string, unknown> = {};
  for (const name in given) if (!(names as readonly string[]).includes(name)) data[name] = given[name];
  const { seq, ts, type, run_id, path } = event;
  return { seq, ts, type, run_id, path, data: data as Completed["data"] };
}

/** For those who read a run's past alone: outputs of steps that went well are no part of it, and may be large. */
export const withoutOutput = (event: RunEvent): RunEvent =>
  event.type === "agent_completed" ? withoutFields(event, "output") : event;

/** Asked again after a crash, or when its time has come, it is the same wait. */
function waits(visit: VisitRecord, at: number): void {
  visit.waitingSince ??= at;
  visit.waitLeftSince ??= at;
}

/** The visits of events that are all there, with their history. */
export function visitsOf(events: Iterable<RunEvent>): readonly VisitRecord[] {
  const fold = new VisitFold({ history: true });
  for (const event of events) fold.add(event);
  return [...fold.visits.values()];
}
