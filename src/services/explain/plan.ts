// What a resume would do now, as data: what is reused, what runs again and why, what has been edited since.
import type { RunState } from "../../events/state.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import { COMMAND_LINE, type Entry, redactEvent } from "../../results/index.ts";
import { recorded, recordedFile } from "../drive/recorded.ts";
import { hashingFor } from "../drive/shared.ts";
import { soFar } from "../drive/so-far.ts";
import type { Extensions } from "../extensions.ts";
import { Refused } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { shownPath } from "../shown-path.ts";
import { type Change, changesBetween } from "./changes.ts";
import type { PinnedDefinition } from "./definition.ts";
import { dependents } from "./dependents.ts";
import type { DriveStory } from "./drive-story.ts";
import type { Editions } from "./editions.ts";
import type { PlannedRun } from "./planned-run.ts";
import { rehearse } from "./rehearse.ts";
import type { StoryFold } from "./story-fold.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

export interface ResumePlan {
  readonly command: string;
  readonly changes: readonly Change[];
  /** The file cannot be resumed with as it is now: why. */
  readonly refused: readonly Entry[];
  readonly reused: readonly string[];
  readonly runs: readonly PlannedRun[];
  /** Completed steps that read what would run again; they run again if it gives something else. */
  readonly depends: readonly string[];
  /** A question that would be asked before anything runs. */
  readonly asks: string | null;
}

export interface Planning {
  readonly reader: RunReader;
  readonly store: RunStore;
  readonly state: RunState;
  /** Has heard all events of the run; hears those of the rehearsal too. */
  readonly fold: StoryFold;
  readonly editions: Editions;
  readonly pinned: PinnedDefinition;
  readonly redactor: Redactor;
  readonly surroundings: Surroundings & { readonly extensions?: Extensions };
  readonly now: number;
}

export async function planOfResume(planning: Planning): Promise<ResumePlan> {
  const { reader = COMMAND_LINE } = planning.surroundings;
  const command = reader.ask({ to: "resume", run: planning.state.runId }) ?? "";
  const nothing = { command, refused: [], reused: [], runs: [], depends: [], asks: null };
  const changes: Change[] = [];
  try {
    return { ...nothing, ...(await plan(planning, changes)) };
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { ...nothing, changes, refused: problem.result.errors };
  }
}

type Planned = Pick<ResumePlan, "changes" | "reused" | "runs" | "depends" | "asks">;

/** The very drive that a resume would make, rehearsed. What was edited is known even if the resume is then refused. */
async function plan(planning: Planning, changes: Change[]): Promise<Planned> {
  const { reader, store, state, fold, editions, pinned, redactor, surroundings } = planning;
  const { cwd } = surroundings;
  const request = { ...surroundings, inputs: {} };
  const before = await soFar(reader);
  const file = await recordedFile(reader, request, before);
  const { workflow } = file;
  if (pinned.root)
    for (const change of changesBetween(pinned.root, workflow, cwd))
      changes.push({ ...change, file: shownPath(change.file, cwd) });
  const setup = await recorded(reader, request, { before, file });
  editions.now = workflow;
  await rehearse({
    setup,
    executors: surroundings.extensions?.executors,
    hashing: hashingFor(store, setup.env),
    folder: reader.folder,
    answered: async (question) => (await store.state.gates.answerTo(state.runId, question.key, question))?.answer,
    now: planning.now,
    on: (event) => fold.add(redactEvent(event, redactor)),
    wouldRun: (key, definition) => fold.wouldRun(key, definition),
  });
  const chapter = fold.chapters.at(-1);
  const visits = chapter ? [...allVisits(chapter)] : [];
  const runs = visits.flatMap((visit) => planned(visit) ?? []);
  const asking = visits.find(
    ({ status, type }) =>
      (type === "human_gate" || type === "questions") && (status === "running" || status === "paused"),
  );
  const reused = visits.filter(isReused);
  const depends = new Set(dependents(workflow, runs, reused, fold.chapters.at(-2)).map(nameOf));
  return {
    changes,
    reused: reused.map(nameOf).filter((name) => !depends.has(name)),
    runs,
    depends: [...depends],
    asks: asking?.node ?? null,
  };
}

function* allVisits({ visits }: DriveStory): Iterable<VisitInDrive> {
  for (const visit of visits) yield* withInner(visit);
}

/** A sub-workflow that is entered again is shown by what runs in it. */
function* withInner(visit: VisitInDrive): Iterable<VisitInDrive> {
  if (!visit.inner || visit.status === "reused") yield visit;
  else for (const inner of visit.inner) yield* withInner(inner);
}

const nameOf = ({ path, node }: Pick<VisitInDrive, "path" | "node">): string => [...path, node].join("/");

const isReused = ({ status }: VisitInDrive): boolean => status === "reused";

function planned(visit: VisitInDrive): PlannedRun | undefined {
  const { node, path, why, members, type } = visit;
  if (isReused(visit) || type === "human_gate" || type === "questions") return undefined;
  if (members) {
    const again = members.count - [...members.states.values()].filter((state) => state === "reused").length;
    return { node_id: node, path, why: why ?? "not all of its members are done", members: again };
  }
  return { node_id: node, path, why: why ?? "it has not run yet" };
}
