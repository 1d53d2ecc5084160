// `segno explain`: a run as a story, from its journal alone, and what a resume would do now. It changes nothing.
import type { RunState } from "../../base/events/state/state.ts";
import { COMMAND_LINE, type Entry, type Head, head, type Result } from "../../base/results/index.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { lostPlaces } from "../reading/lost-items.ts";
import { resultAtRest, whoDrives } from "../reading/queued-run.ts";
import { resultOfRun } from "../reading/report.ts";
import { withRefusals } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { nowOf, type RunNamed, withReader } from "../session/store.ts";
import { adviceFor } from "./advice.ts";
import { chapterOf } from "./chapter.ts";
import { type Planning, planOfResume, type ResumePlan } from "./plan.ts";
import { readStory } from "./read-story.ts";
import type { Chapter } from "./story.ts";

export type { Change } from "./editions.ts";
export type { ResumePlan } from "./plan.ts";
export * from "./story.ts";

/** What happened in a run, in chapters. */
export interface ExplainAnswer extends Head {
  /** null: there is no such run. */
  readonly run: ExplainedRun | null;
  /** One for each time that the run was driven. */
  readonly chapters: readonly Chapter[];
  /** What a resume would do now; null: the run cannot be resumed, or is being driven. */
  readonly resume: ResumePlan | null;
  /** What to do, in sentences. */
  readonly next: readonly string[];
}

export interface ExplainedRun {
  readonly run_id: string;
  readonly workflow: string | null;
  readonly file: string | null;
  readonly status: Result["status"] | "crashed";
  readonly exit_code: number | null;
  readonly success: boolean;
  readonly started_at: string | null;
  readonly duration_ms: number | null;
  readonly drives: number;
  readonly headline: string | null;
  readonly not_executed: readonly string[];
  readonly errors: readonly Entry[];
  readonly cost_usd: number | null;
  readonly tokens: number;
}

export interface ExplainRequest extends RunNamed {
  /** `resume` is then what running its lost items again would do; null when it lost none. */
  readonly failedItems?: boolean;
}

export const explainRun = (session: Session, request: ExplainRequest): Promise<ExplainAnswer> =>
  withRefusals(
    session,
    async (own) =>
      own.exit.answer(await withReader(own, request, (reader, store) => explain(reader, store, own, request))),
    ({ schema, success, exit_code, error, errors, warnings }) => ({
      schema,
      success,
      exit_code,
      error,
      errors,
      warnings,
      run: null,
      chapters: [],
      resume: null,
      next: [],
    }),
  );

async function explain(
  reader: RunReader,
  store: RunStore,
  session: Session,
  request: ExplainRequest,
): Promise<ExplainAnswer> {
  const now = nowOf(store);
  const story = await readStory(reader, session);
  const { state, fold, redactor, definitions, latest } = story;
  const { driver, waiting, isCutOff: interrupted, refused } = await whoDrives({ state, reader }, store, now);
  if (interrupted) fold.cutOff();
  const { folder, meta } = reader;
  const found = resultOfRun(state, { ...session, folder, redactor, interrupted, now, workflow: latest.root });
  const result = resultAtRest(found, { state, meta, waiting, refused }, session);
  const chapters = fold.chapters.map((chapter, index) => chapterOf(chapter, definitions[index] ?? latest));
  const isAtRest = driver === null && !waiting;
  const canResume = isAtRest && result.checkpoint?.resumable === true;
  const planning = { reader, store, story, session, now };
  // One that was called off before it began is begun: there is nothing that it could reuse, or that was edited since.
  const resumePlan = canResume && state.drives > 0 && !request.failedItems ? await planOfResume(planning) : null;
  const resume = isAtRest && request.failedItems ? await planOfLostItems(planning, session) : resumePlan;
  const open = await store.state.letters.list({ runId: reader.runId, status: "open" });
  const letters = open.map(({ id }) => id);
  const run = explained(state, result, interrupted && !refused);
  return {
    ...head(0),
    run: waiting ? { ...run, headline: waiting.sentence } : run,
    chapters,
    resume,
    next: adviceFor({
      result,
      driver,
      isInQueue: waiting !== undefined,
      letters,
      canResume,
      refusals: resume?.refused.length ?? 0,
      areLimitsRaised: resumePlan !== null && raisesLimits(resumePlan),
      reader: session.reader ?? COMMAND_LINE,
    }),
  };
}

const raisesLimits = ({ refused, limit, stops, changes }: ResumePlan): boolean =>
  refused.length === 0 &&
  !limit &&
  !stops &&
  changes.some(({ fields = [] }) => fields.some((field) => field.startsWith("workflow.limits")));

async function planOfLostItems(planning: Planning, { reader = COMMAND_LINE }: Session): Promise<ResumePlan | null> {
  const { state } = planning.story;
  const places = lostPlaces(state);
  if (places.size === 0) return null;
  const command = reader.ask({ to: "run lost items", run: state.runId }) ?? "";
  return planOfResume({ ...planning, reopen: { places, others: new Set() }, command });
}

function explained(state: RunState, result: Result, crashed: boolean): ExplainedRun {
  const steps = result.execution?.steps ?? [];
  const { tokens, total_cost_usd } = result.metrics ?? {};
  return {
    run_id: state.runId,
    workflow: result.workflow,
    file: result.file,
    status: crashed ? "crashed" : result.status,
    exit_code: result.exit_code,
    success: result.success,
    started_at: state.startedAt,
    duration_ms: result.execution?.duration_ms ?? null,
    drives: state.drives,
    headline: result.error ?? result.termination?.reason ?? null,
    not_executed: steps.filter(({ status }) => status === "not_executed").map(({ node_id }) => node_id),
    errors: result.errors,
    cost_usd: total_cost_usd ?? null,
    tokens: (tokens?.input ?? 0) + (tokens?.output ?? 0),
  };
}
