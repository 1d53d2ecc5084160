// `segno eval`: runs a workflow over rows, in variants, and grades what came of it. Each row is an ordinary run; only agents and
// what `live:` names touch the world.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { COMMAND_LINE, type Head, head } from "../../base/results/index.ts";
import { invalidWorkflow, orRefused, refusal } from "../../services/refusals.ts";
import type { DriveListeners } from "../../services/request.ts";
import { shownFile, shownPath } from "../../services/session/files.ts";
import { homeOf } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import { withStore } from "../../services/session/store.ts";
import { otherKind } from "../../services/workflows/validate.ts";
import { realClock } from "../../storage/clock.ts";
import type { RunStore } from "../../storage/store.ts";
import { workerSettings } from "../fleet/work/workers.ts";
import { type CheckedEval, checkEval } from "./check-eval.ts";
import { estimates, type VariantEstimate } from "./estimate.ts";
import type { GradeSpec } from "./eval-file.ts";
import { digestOf, planEval } from "./eval-rows.ts";
import { EvalFolder, type EvalPlan, evalsIn } from "./eval-store.ts";
import { JUDGE } from "./graders/grader-world.ts";
import { answeredFor, type LiveCall, liveCalls } from "./live-steps.ts";
import { type MeasureSettings, measureAll } from "./measure-all.ts";
import { compareEvals, earlierEval, type VariantComparison } from "./past-evals.ts";
import { type Difference, differencesBetween, type EvalRow, summaryOf, type VariantSummary } from "./summary.ts";

export interface EvalSettings extends MeasureSettings {
  /** Only says what would be done for real. */
  readonly dryRun?: boolean;
  /** Goes on with the newest eval of the file that was not finished. */
  readonly resume?: boolean;
  /** A JSON result, the id of an eval, or a revision of git. */
  readonly compare?: string;
}

export interface EvalRequest extends EvalSettings {
  /** An eval file, or a folder with some. */
  readonly path: string;
}

export interface OneEval {
  readonly eval_id: string | null;
  readonly name: string;
  readonly file: string;
  readonly workflow: string;
  readonly rows: readonly EvalRow[];
  readonly summary: readonly VariantSummary[];
  /** Rows on which variants do not agree. */
  readonly differences: readonly Difference[];
  readonly compare?: readonly VariantComparison[];
  /** Only with `dryRun`. */
  readonly preview?: EvalPreview;
  readonly problems: readonly string[];
  /** Stopped before its end: `--resume` goes on. */
  readonly stopped: boolean;
}

/** Of a file as it is; of a folder the rows of all, and each by itself under `evals`. */
export interface EvalAnswer extends Head, Omit<OneEval, "name" | "problems" | "stopped"> {
  readonly evals: readonly OneEval[];
}

const NOT_MEASURED = { eval_id: null, rows: [], summary: [], differences: [] } as const;

export const runEval = (session: Session, request: EvalRequest, listeners: DriveListeners = {}): Promise<EvalAnswer> =>
  orRefused(session, { file: shownFile(request.path, session.cwd), workflow: "", evals: [], ...NOT_MEASURED }, () =>
    withStore(session, async (store) => {
      const files = evalFiles(session, request);
      // All of them are right before the first of them costs anything.
      const checked = files.map((file) => {
        const { checked, findings } = checkEval(file, session);
        if (!checked) throw invalidWorkflow(findings, file, session.cwd);
        return checked;
      });
      const evals: OneEval[] = [];
      for (const one of checked) {
        evals.push(await evaluated(store, one, session, request, listeners));
        if (listeners.signal?.aborted) break;
      }
      return answerOf(evals, request, listeners);
    }),
  );

function evalFiles({ cwd }: Session, { path }: EvalRequest): readonly string[] {
  const absolute = resolve(cwd, path);
  if (!existsSync(absolute)) throw refusal(`there is no ${path}: name an eval file, or a folder with some`);
  if (!statSync(absolute).isDirectory()) return [absolute];
  const found = evalsBelow(absolute).sort();
  if (found.length === 0) throw refusal(`there is no eval below ${path}: eval files are called NAME.eval.yaml`);
  return found;
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", ".segno"]);

const evalsBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : evalsBelow(path);
    return otherKind(entry.name) === "eval" ? [path] : [];
  });

function answerOf(evals: readonly OneEval[], { path }: EvalRequest, { signal }: DriveListeners): EvalAnswer {
  const [only] = evals;
  const problems = evals.flatMap((one) =>
    one.problems.map((problem) => (evals.length > 1 ? `${one.name}: ${problem}` : problem)),
  );
  const isStopped = signal?.aborted === true || evals.some(({ stopped }) => stopped);
  const start = { ...head(isStopped ? 130 : problems.length > 0 ? 1 : 0), error: problems[0] ?? null };
  if (evals.length === 1 && only) {
    const { name: _, problems: _problems, stopped: _stopped, ...own } = only;
    return { ...start, ...own, evals };
  }
  const named = <One extends object>(list: (one: OneEval) => readonly One[]) =>
    evals.flatMap((one) => list(one).map((entry) => ({ eval: one.name, ...entry })));
  return {
    ...start,
    eval_id: null,
    file: path,
    workflow: "",
    evals,
    rows: named(({ rows }) => rows),
    summary: named(({ summary }) => summary),
    differences: named(({ differences }) => differences),
  };
}

async function evaluated(
  store: RunStore,
  checked: CheckedEval,
  session: Session,
  request: EvalRequest,
  listeners: DriveListeners,
): Promise<OneEval> {
  const { file, workflow, spec } = checked;
  const { cwd } = session;
  const home = homeOf(session);
  const about = { file: shownPath(file, cwd), workflow: shownPath(workflow.file, cwd) };
  // A wrong name is said before anything costs money.
  const before =
    request.compare === undefined ? undefined : earlierEval(request.compare, { cwd, home, file, id: null });
  if (request.dryRun) {
    const plan = await planEval(store, checked, session);
    const preview = await previewOf(store, checked, plan);
    return { ...about, ...NOT_MEASURED, name: plan.name, preview, problems: [], stopped: false };
  }
  const folder = request.resume ? unfinished(home, checked, session, store.fleet !== undefined) : undefined;
  const plan = folder ? folder.plan() : await planEval(store, checked, session);
  const kept = folder ?? new EvalFolder(home, plan.id);
  // Whoever starts an eval has seen what of it is live, and what it may cost.
  const reader = { ...(session.reader ?? COMMAND_LINE), playsLiveSteps: true };
  await aloneIn(store, plan.id, session, listeners, async () => {
    if (!folder) kept.begin(plan);
    await measureAll(store, { checked, plan, folder: kept }, { ...session, reader }, request, listeners);
  });
  const rows = kept.rows(plan);
  const variants = plan.variants.map(({ name }) => name);
  const summary = summaryOf(variants, rows, plan.repeat);
  const measured = { rows, summary, differences: differencesBetween(variants, rows) };
  const compare = before && compareEvals(before, measured);
  const stopped = rows.length < plan.runs.length;
  const answer: OneEval = {
    eval_id: plan.id,
    name: plan.name,
    ...about,
    ...measured,
    ...(compare ? { compare } : {}),
    problems: stopped ? [] : problemsOf(spec.fail_under?.pass, summary, compare),
    stopped,
  };
  if (!stopped) kept.end(answer);
  return answer;
}

/** Two that go on with one eval would drive the same runs. What a killed process held is free again. */
async function aloneIn(
  store: RunStore,
  id: string,
  session: Session,
  { signal }: DriveListeners,
  work: () => Promise<void>,
): Promise<void> {
  const { slots } = store.state;
  const take = () => slots.acquire(`eval ${id}`, 1);
  let place = await take();
  // On a fleet a process that was killed counts as alive until it has been silent for long enough.
  const until = store.fleet ? realClock.now() + 1.5 * workerSettings(session.env).silenceMs : 0;
  while (!place && realClock.now() < until && !signal?.aborted) {
    await realClock.sleep(ASKED_AGAIN_MS, signal);
    place = await take();
  }
  if (!place) throw refusal(`the eval ${id} is still under way in another process: wait for its end, or stop it there`);
  try {
    await work();
  } finally {
    await slots.release(place);
  }
}

const ASKED_AGAIN_MS = 250;

function unfinished(
  home: string,
  checked: CheckedEval,
  { cwd, reader = COMMAND_LINE }: Session,
  isOnFleet: boolean,
): EvalFolder {
  const shown = shownPath(checked.file, cwd);
  const found = evalsIn(home).find(({ plan, folder }) => plan.file === checked.file && !folder.result());
  if (!found) throw refusal(`there is no eval of ${shown} that was not finished`);
  const { id, digest, is_on_fleet = false } = found.plan;
  if (digest !== digestOf(checked))
    throw refusal(
      `${shown} or its dataset has changed since the eval ${id} began, so its rows could not be compared: start it again without --resume`,
    );
  if (is_on_fleet !== isOnFleet) {
    const option = reader.give({ what: "option", name: "on" });
    throw refusal(
      is_on_fleet
        ? `the rows of the eval ${id} are on a fleet: go on with ${option}, as it began`
        : `the rows of the eval ${id} are on this machine: go on without ${option} and SEGNO_ON, as it began`,
    );
  }
  return found.folder;
}

function problemsOf(
  least: number | undefined,
  summary: readonly VariantSummary[],
  compare: readonly VariantComparison[] | undefined,
): readonly string[] {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const under = summary.flatMap(({ variant, rate }) => {
    if (least === undefined) return [];
    if (rate === null) return [`nothing of ${variant} was measured, and fail_under asks for ${percent(least)}`];
    return rate < least ? [`${variant} passes ${percent(rate)}, less than ${percent(least)}`] : [];
  });
  const worse = (compare ?? []).flatMap(({ variant, broken, fixed, significantly_worse }) =>
    significantly_worse
      ? [`${variant} is significantly worse: ${broken.length} rows broken, ${fixed.length} fixed`]
      : [],
  );
  return [...under, ...worse];
}

export interface EvalPreview {
  readonly runs: number;
  readonly rows: number;
  readonly live: readonly LiveCall[];
  /** Steps that are answered from a recording, or from the scenario. */
  readonly answered: readonly string[];
  /** Graders that ask a model or start a program. */
  readonly graders: readonly string[];
  /** What all of it would cost, without graders; null: of a model that it asks nothing is known. */
  readonly estimate_usd: number | null;
  /** Past runs of the workflow that asked a model, rows of evals among them. */
  readonly past_runs: number;
  readonly variants: readonly VariantEstimate[];
}

async function previewOf(store: RunStore, checked: CheckedEval, plan: EvalPlan): Promise<EvalPreview> {
  const { variants, past_runs } = await estimates(store, checked, plan);
  const isKnown = variants.every(({ estimate_usd }) => estimate_usd !== null);
  const total = variants.reduce((sum, { estimate_usd }) => sum + (estimate_usd ?? 0), 0);
  const isJudgeScripted = checked.scenario?.scenario.agent_scripts[JUDGE] !== undefined;
  return {
    runs: plan.runs.length,
    rows: plan.rows.length,
    live: liveCalls(checked),
    answered: answeredFor(checked),
    graders: checked.spec.grade.flatMap((grade) => realGrader(grade, isJudgeScripted) ?? []),
    estimate_usd: isKnown ? Math.round(total * 1e6) / 1e6 : null,
    past_runs,
    variants,
  };
}

function realGrader(
  { judge, script, grader, provider, model }: GradeSpec,
  isJudgeScripted: boolean,
): string | undefined {
  if (judge !== undefined)
    return isJudgeScripted
      ? undefined
      : `a judge asks ${[provider, model].filter(Boolean).join(" ") || "the workflow's model"}`;
  if (script !== undefined) return `${script} is started`;
  return grader === undefined ? undefined : `the plugin's grader ${grader} is called`;
}
