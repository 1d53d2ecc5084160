// What a resume would do now, as data: what is reused, what runs again and why, what has been edited since.

import { nodePath, withoutRounds } from "../../base/events/key.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import type { FrameState, RunState } from "../../base/events/state/state.ts";
import { moreIterationsThan, moreVisitsThan } from "../../base/results/hints.ts";
import { COMMAND_LINE, type Entry, redactEvent } from "../../base/results/index.ts";
import type { FrameEnd } from "../../engine/ends.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { stepTypeOf } from "../../steps/types.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { areKeyframesOff, isAsThen, startOf } from "../drive/keyframe.ts";
import { historyFromKeyframe, readHistory } from "../drive/read-history.ts";
import { recorded, recordedFile } from "../drive/recorded.ts";
import { sessionOfRun } from "../project/people-of-run.ts";
import { hasEndedByItself } from "../reading/lost-items.ts";
import type { Reopening } from "../reading/reopened.ts";
import { Refused } from "../refusals.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { dependents, type TypedSpot } from "./dependents.ts";
import type { DriveStory } from "./drive-story.ts";
import { type Change, changesBetween } from "./editions.ts";
import type { ReadStory } from "./read-story.ts";
import { rehearse } from "./rehearse.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

export interface ResumePlan {
  /** The command that would do it. */
  readonly command: string;
  /** What was edited since the last drive. */
  readonly changes: readonly Change[];
  /** The file cannot be resumed with as it is now: why. */
  readonly refused: readonly Entry[];
  readonly reused: readonly string[];
  /** Of those that are reused: files that they run or name and that have changed since. */
  readonly changed_files: readonly FilesOfStep[];
  readonly runs: readonly PlannedRun[];
  /** Completed steps that read what would run again; they run again if it gives something else. */
  readonly depends: readonly string[];
  /** A question that would be asked before anything runs. */
  readonly asks: string | null;
  /** Gates among `depends`: people are asked again if what they are shown comes out different. */
  readonly asks_again: readonly string[];
  /** Where it would come to its limit of step executions, unless more are allowed. */
  readonly limit?: PlannedLimit;
  /** Where it would stop since the run's time or budget is used up. */
  readonly stops?: PlannedStop;
}

export interface PlannedStop {
  readonly limit: "timeout_seconds" | "budget_usd";
  /** What the file allows now. */
  readonly allowed: number;
  /** The step that would be the next; null: it stops before the first. */
  readonly node_id: string | null;
}

export interface FilesOfStep {
  readonly node_id: string;
  readonly path: readonly string[];
  readonly files: readonly string[];
  /** How to ask for the step to run again; null for who cannot. */
  readonly command: string | null;
}

export interface PlannedLimit {
  /** One of the two. */
  readonly max_iterations?: number;
  readonly max_visits?: number;
  /** How many there are by then: step executions, or visits of the step. */
  readonly executions: number;
  /** The step that would be the next, and the sub-workflows that lead to it. */
  readonly node_id: string;
  readonly path: readonly string[];
  /** What to allow, and how to ask for it; null in a sub-workflow, whose own file has the limit, and for a retry of letters. */
  readonly allow: number | null;
  readonly command: string | null;
}

export interface Planning {
  readonly reader: RunReader;
  readonly store: RunStore;
  /** All that the run recorded; its fold hears the events of the rehearsal too. */
  readonly story: ReadStory;
  readonly session: Session;
  readonly now: number;
  /** Of a retry of dead letters: only their places run again. */
  readonly reopen?: Reopening;
  /** The command that would do it; left out: a resume. */
  readonly command?: string;
}

export const NOTHING_PLANNED = {
  refused: [],
  reused: [],
  changed_files: [],
  runs: [],
  depends: [],
  asks: null,
  asks_again: [],
};

export async function planOfResume(planning: Planning): Promise<ResumePlan> {
  const { reader = COMMAND_LINE } = planning.session;
  const command = planning.command ?? reader.ask({ to: "resume", run: planning.story.state.runId }) ?? "";
  const nothing = { command, ...NOTHING_PLANNED };
  const changes: Change[] = [];
  const { reopen, story } = planning;
  // Only these run, and nothing that comes after them.
  if (reopen && hasEndedByItself(story.state))
    return { ...nothing, changes, runs: itemsAlone(story.state, reopen.places) };
  try {
    return { ...nothing, ...(await plan(planning, changes)) };
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { ...nothing, changes, refused: problem.result.errors };
  }
}

type Planned = Omit<ResumePlan, "command" | "refused">;

/** The very drive that a resume would make, rehearsed. What was edited is known even if the resume is then refused. */
async function plan(planning: Planning, changes: Change[]): Promise<Planned> {
  const { reader, store, story, reopen } = planning;
  const session = await sessionOfRun(planning.session, reader.meta.file);
  const { fold, editions, latest, redactor } = story;
  const request = { inputs: {}, reopen };
  const fromKeyframe = !reopen && !areKeyframesOff(session.env);
  let before = await (fromKeyframe ? historyFromKeyframe(reader) : readHistory(reader));
  const file = await recordedFile(reader, session, request, before);
  const { workflow } = file;
  if (latest.root)
    for (const change of changesBetween(latest.root, workflow, session.cwd))
      changes.push({ ...change, file: shownPath(change.file, session.cwd) });
  let setup = await recorded(reader, session, request, { before, file });
  if (before.keyframe && !(setup.keyframes && (await isAsThen(before.keyframe, setup, {}, store)))) {
    await setup.close();
    before = await readHistory(reader);
    setup = await recorded(reader, session, request, { before, file });
  }
  const { keyframe } = before;
  editions.now = workflow;
  let limit: PlannedLimit | undefined;
  let stops: PlannedStop | undefined;
  /** Questions that wait for an answer by their key, also inside groups: the step that asks. */
  const asking = new Map<string, string>();
  const changedFiles = new Map<string, FilesOfStep>();
  try {
    const end = await rehearse({
      reader,
      store,
      session,
      setup,
      now: planning.now,
      start: keyframe && startOf(keyframe),
      on: (event) => {
        if (event.type === "iteration_limit_reached") limit ??= limitOf(event, planning);
        if (event.type === "gate_presented" || event.type === "questions_presented")
          asking.set(event.data.key, event.data.agent_name);
        if (event.type === "gate_resolved" || event.type === "questions_completed") asking.delete(event.data.key ?? "");
        if (event.type === "agent_reused" && event.data.changed_files)
          noteChanged(changedFiles, event.path, event.data.agent_name, event.data.changed_files, planning);
        fold.add(redactEvent(event, redactor));
      },
      wouldRun: (key, definition) => fold.wouldRun(key, definition),
    });
    stops = stopOf(end, workflow);
  } finally {
    await setup.close();
  }
  const reused: string[] = [];
  const runs: PlannedRun[] = [];
  /** The last visit of each place that is reused. */
  const spots = new Map<string, TypedSpot>();
  const isReusedAt = (visit: TypedSpot): void => {
    const name = nameOf(visit);
    reused.push(name);
    spots.set(name, visit);
  };
  // A walk would come to all that is before the keyframe, and reuse it.
  if (keyframe) for (const { path, node, type } of fold.cameTo(keyframe.seq)) isReusedAt({ path, node, type });
  for (const visit of allVisits(fold.chapters.at(-1))) {
    if (visit.status === "reused") isReusedAt(visit);
    const run = planned(visit);
    if (run) runs.push(run);
  }
  const dependent = dependents(workflow, runs, spots.values(), fold.chapters.at(-2));
  const depends = new Set(dependent.map(nameOf));
  return {
    changes,
    reused: reused.filter((name) => !depends.has(name)),
    changed_files: [...changedFiles.values()],
    runs,
    depends: [...depends],
    asks: [...asking.values()][0] ?? null,
    asks_again: [...new Set(dependent.filter(asksPeople).map(nameOf))],
    ...(limit ? { limit } : {}),
    ...(stops ? { stops } : {}),
  };
}

const STOPPING: Partial<Readonly<Record<string, PlannedStop["limit"]>>> = {
  TimeoutError: "timeout_seconds",
  BudgetExceededError: "budget_usd",
};

/** What earlier drives took and spent counts: such a limit stops a resume until it is raised. */
function stopOf(end: FrameEnd, { definition }: LoadedWorkflow): PlannedStop | undefined {
  const limit = end.type === "limit" ? STOPPING[end.errorType] : undefined;
  const allowed = limit && definition.workflow.limits[limit];
  return end.type === "limit" && limit && allowed !== undefined ? { limit, allowed, node_id: end.node } : undefined;
}

/** The groups whose items run again, each with how many of them. */
function itemsAlone(state: RunState, places: ReadonlySet<string>): readonly PlannedRun[] {
  const groups = new Map<string, PlannedRun>();
  const look = (frame: FrameState, path: readonly string[]): void => {
    for (const node of frame.nodes.values()) {
      const members = [...(node.group?.members.values() ?? [])].filter(
        ({ key }) => key !== null && places.has(withoutRounds(key)),
      ).length;
      if (members > 0)
        groups.set(nameOf({ path, node: node.name }), { node_id: node.name, path, why: WAS_LOST, members });
    }
    for (const [slot, inner] of frame.frames) look(inner, [...path, slot]);
  };
  look(state.root, []);
  return [...groups.values()];
}

const WAS_LOST = "the run went on without them; its end stays as it is";

/** Items of a group are one step. */
function noteChanged(
  found: Map<string, FilesOfStep>,
  path: readonly string[],
  node_id: string,
  files: readonly string[],
  { story, reopen, session: { reader = COMMAND_LINE } }: Planning,
): void {
  const key = nameOf({ path, node: node_id });
  const known = found.get(key)?.files ?? [];
  const command = reopen ? null : reader.ask({ to: "resume", run: story.state.runId, changedFiles: true });
  found.set(key, { node_id, path, files: [...new Set([...known, ...files])], command });
}

/** Without it a resume after the limit would only come to the same limit again. */
function limitOf(
  { data, path }: Extract<RunEvent, { readonly type: "iteration_limit_reached" }>,
  { story, session: { reader = COMMAND_LINE }, reopen }: Planning,
): PlannedLimit {
  const { current_iteration, visits, max_iterations, max_visits, agent_name: node_id } = data;
  const executions = max_visits === undefined ? current_iteration : (visits ?? max_visits);
  const more = max_visits === undefined ? moreIterationsThan(executions) : moreVisitsThan(executions);
  const allow = path.length === 0 && !reopen ? more : null;
  const asked = max_visits === undefined ? { maxIterations: more } : { maxVisits: more };
  const command = allow === null ? null : reader.ask({ to: "resume", run: story.state.runId, ...asked });
  const limit = max_visits === undefined ? { max_iterations } : { max_visits };
  return { ...limit, executions, node_id, path, allow, command };
}

function* allVisits(chapter: DriveStory | undefined): Iterable<VisitInDrive> {
  for (const visit of chapter?.visits ?? []) yield* withInner(visit);
}

/** A sub-workflow that is entered again is shown by what runs in it. */
function* withInner(visit: VisitInDrive): Iterable<VisitInDrive> {
  if (!visit.inner || visit.status === "reused") yield visit;
  else for (const inner of visit.inner) yield* withInner(inner);
}

const nameOf = ({ path, node }: Pick<VisitInDrive, "path" | "node">): string => nodePath(path, node);

const asksPeople = (visit: TypedSpot): boolean => stepTypeOf(visit).asksPeople === true;

function planned(visit: VisitInDrive): PlannedRun | undefined {
  const { node, path, why, members } = visit;
  if (visit.status === "reused" || asksPeople(visit)) return undefined;
  if (members) {
    // Nothing runs in a rehearsal: a failure that comes out of it is one that was recorded and stands.
    const done = [...members.states.values()].filter((state) => state === "reused" || state === "failed").length;
    const left = members.count - done;
    return { node_id: node, path, why: why ?? (left === 1 ? "it is not done" : "they are not done"), members: left };
  }
  return { node_id: node, path, why: why ?? "it has not run yet" };
}

/** A step or group that a resume would run. */
interface PlannedRun {
  readonly node_id: string;
  readonly path: readonly string[];
  readonly why: string;
  /** Of a group: how many of its members. */
  readonly members?: number;
}
