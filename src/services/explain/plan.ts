// What a resume would do now, as data: what is reused, what runs again and why, what has been edited since.
import type { RunState } from "../../events/state.ts";
import type { RunReader } from "../../hosts/embedded/run-reader.ts";
import type { Store } from "../../hosts/embedded/store.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import type { Redactor } from "../../redact/index.ts";
import { COMMAND_LINE, type Entry, redactEvent } from "../../results/index.ts";
import { filesOfRun } from "../files.ts";
import { hashKeyOf } from "../hash-key.ts";
import { withInputs } from "../prepared-run.ts";
import { invalidWorkflow } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { joinSecrets } from "../secret-inputs.ts";
import { shownPath } from "../shown-path.ts";
import { type Change, changesBetween } from "./changes.ts";
import type { PinnedDefinition } from "./definition.ts";
import { dependents } from "./dependents.ts";
import type { DriveStory } from "./drive-story.ts";
import type { Editions } from "./editions.ts";
import { rehearse } from "./rehearse.ts";
import type { StoryFold } from "./story-fold.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

export interface PlannedRun {
  readonly node_id: string;
  readonly path: readonly string[];
  readonly why: string;
  /** Of a group: how many of its members. */
  readonly members?: number;
}

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
  readonly store: Store;
  readonly state: RunState;
  /** Has heard all events of the run; hears those of the rehearsal too. */
  readonly fold: StoryFold;
  readonly editions: Editions;
  readonly pinned: PinnedDefinition;
  readonly redactor: Redactor;
  readonly surroundings: Surroundings;
  readonly now: number;
}

export async function planOfResume(planning: Planning): Promise<ResumePlan> {
  const { reader, store, state, fold, editions, pinned, redactor, surroundings } = planning;
  const { cwd } = surroundings;
  const file = reader.meta.file;
  const command = (surroundings.reader ?? COMMAND_LINE).ask({ to: "resume", run: state.runId }) ?? "";
  const nothing = { command, refused: [], reused: [], runs: [], depends: [], asks: null };
  const { workflow, findings } = validateWorkflow(file, filesOfRun(reader.pinned(), surroundings.env));
  if (!workflow || findings.some(({ severity }) => severity === "error"))
    return { ...nothing, changes: [], refused: invalidWorkflow(findings, file, cwd).errors };
  const changes = pinned.root ? changesBetween(pinned.root, workflow, cwd) : [];
  const before = joinSecrets(state.inputs, reader.secrets());
  const prepared = withInputs(workflow, kept(before, workflow), surroundings);
  if (!prepared.ok) return { ...nothing, changes, refused: prepared.result.errors };
  editions.now = workflow;
  await rehearse({
    workflow,
    inputs: prepared.run.inputs,
    state,
    events: reader.events(),
    hashing: {
      env: surroundings.env,
      get key() {
        return hashKeyOf(store.home);
      },
    },
    folder: reader.folder,
    answered: (question) => store.state.gates.answerTo(state.runId, question.key, question)?.answer,
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
    ...nothing,
    changes: changes.map((change) => ({ ...change, file: shownPath(change.file, cwd) })),
    reused: reused.map(nameOf).filter((name) => !depends.has(name)),
    runs,
    depends: [...depends],
    asks: asking?.node ?? null,
  };
}

/** Inputs of the run so far; those that the edited file no longer takes are left behind. */
function kept(
  before: Readonly<Record<string, unknown>>,
  { definition }: LoadedWorkflow,
): Record<string, { value: unknown }> {
  const fields = definition.workflow.input;
  const names = Object.keys(before).filter((name) => !fields || Object.hasOwn(fields, name));
  return Object.fromEntries(names.map((name) => [name, { value: before[name] }]));
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
