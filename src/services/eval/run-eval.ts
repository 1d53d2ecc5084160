// `segno eval`: runs a workflow over rows, in variants, and grades what came of it. Each row is an ordinary run; only agents and
// what `live:` names touch the world.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunStore } from "../../hosts/store.ts";
import { createRedactor, secretsFromEnvironment } from "../../redact/index.ts";
import { COMMAND_LINE, type Head, head } from "../../results/index.ts";
import { invalidWorkflow, refusal, withRefusals } from "../refusals.ts";
import type { Driving } from "../request.ts";
import { homeOf } from "../session/home.ts";
import { shownPath } from "../session/shown-path.ts";
import { fleetOf, withStore } from "../session/store.ts";
import { otherKind } from "../workflows/other-files.ts";
import { type CheckedEval, checkEval } from "./check-eval.ts";
import { compareEvals, earlierEval, type VariantComparison } from "./compare.ts";
import { EvalFolder, type EvalPlan, evalsIn } from "./eval-store.ts";
import { graderWorld, JUDGE } from "./grader-world.ts";
import { type Measuring, measureRow } from "./measure-row.ts";
import { digestOf, planEval } from "./planned-rows.ts";
import { answersOfRun, answersToQuestions, shownRecording } from "./recorded-answers.ts";
import { answeredFor, type LiveCall, liveCalls, rowScenario } from "./row-scenario.ts";
import { type Difference, differencesBetween, type EvalRow, summaryOf, type VariantSummary } from "./summary.ts";

export interface EvalRequest extends Driving {
  /** An eval file, or a folder with some. */
  readonly path: string;
  /** Only says what would be done for real. */
  readonly dryRun?: boolean;
  /** Goes on with the newest eval of the file that was not finished. */
  readonly resume?: boolean;
  /** A JSON result, the id of an eval, or a revision of git. */
  readonly compare?: string;
  /** How many rows run at a time; 4 when left out. */
  readonly parallel?: number;
  /** Called after each row. */
  readonly onRow?: (row: EvalRow, done: number, total: number) => void;
}

export interface EvalPreview {
  readonly runs: number;
  readonly rows: number;
  /** What is done for real. */
  readonly live: readonly LiveCall[];
  /** Steps that are answered from a recording, or from the scenario. */
  readonly answered: readonly string[];
  /** Graders that ask a model or start a program. */
  readonly graders: readonly string[];
  /** What all of it would cost, from what past runs of the workflow cost; null: there are none. */
  readonly estimate_usd: number | null;
  readonly past_runs: number;
}

export interface OneEval {
  readonly eval_id: string | null;
  readonly name: string;
  readonly file: string;
  readonly workflow: string;
  readonly rows: readonly EvalRow[];
  readonly summary: readonly VariantSummary[];
  readonly differences: readonly Difference[];
  readonly compare?: readonly VariantComparison[];
  /** Only with `dryRun`. */
  readonly preview?: EvalPreview;
  /** Why it does not pass. */
  readonly problems: readonly string[];
  /** Stopped before its end: `--resume` goes on. */
  readonly stopped: boolean;
}

/** Of a file as it is; of a folder the rows of all, and each by itself under `evals`. */
export interface EvalAnswer extends Head, Omit<OneEval, "name" | "problems" | "stopped"> {
  readonly evals: readonly OneEval[];
}

const PARALLEL = 4;

const NOTHING = { eval_id: null, workflow: "", rows: [], summary: [], differences: [], evals: [] } as const;

export const runEval = (request: EvalRequest): Promise<EvalAnswer> =>
  withRefusals(
    request,
    () => {
      requireNoFleet(request);
      return withStore(request, async (store) => {
        const files = evalFiles(request);
        // All of them are right before the first of them costs anything.
        const checked = files.map((file) => requireValid(file, request));
        const evals: OneEval[] = [];
        for (const one of checked) {
          evals.push(await evaluated(store, one, request));
          if (request.signal?.aborted) break;
        }
        return answerOf(evals, request);
      });
    },
    (result) => ({ ...result, file: request.path, ...NOTHING }),
  );

/** A run with a scenario is driven where it is started: its rows would not reach the workers. */
function requireNoFleet(request: EvalRequest): void {
  if (fleetOf(request) === undefined) return;
  const { reader = COMMAND_LINE } = request;
  const what = request.fleet ? reader.give({ what: "option", name: "on" }) : "SEGNO_ON";
  throw refusal(
    `the rows of an eval run on this machine; they cannot be spread over the workers of a fleet (${what})`,
    {
      hint: `Start it without ${what}. How many rows run at a time is ${reader.give({ what: "option", name: "parallel" })}.`,
    },
  );
}

function requireValid(file: string, request: EvalRequest): CheckedEval {
  const { checked, findings } = checkEval(file, request);
  if (!checked) throw invalidWorkflow(findings, file, request.cwd);
  return checked;
}

function evalFiles({ path, cwd }: EvalRequest): readonly string[] {
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

function answerOf(evals: readonly OneEval[], { path, signal }: EvalRequest): EvalAnswer {
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
    ...{ eval_id: null, file: path, workflow: "", evals },
    ...{ rows: named(({ rows }) => rows), summary: named(({ summary }) => summary) },
    differences: named(({ differences }) => differences),
  };
}

async function evaluated(store: RunStore, checked: CheckedEval, request: EvalRequest): Promise<OneEval> {
  const { file, workflow, spec } = checked;
  const { cwd } = request;
  const home = homeOf(request);
  const about = { file: shownPath(file, cwd), workflow: shownPath(workflow.file, cwd) };
  // A wrong name is said before anything costs money.
  const before =
    request.compare === undefined ? undefined : earlierEval(request.compare, { cwd, home, file, id: null });
  if (request.dryRun) {
    const plan = await planEval(store, checked, request);
    const preview = await previewOf(store, checked, plan);
    return { ...about, ...NOTHING_MEASURED, name: plan.name, preview };
  }
  const folder = request.resume ? unfinished(home, checked, request) : undefined;
  const plan = folder ? folder.plan() : await planEval(store, checked, request);
  const kept = folder ?? new EvalFolder(home, plan.id);
  if (!folder) kept.begin(plan);
  await measureAll(store, { checked, plan, folder: kept }, request);
  const order = new Map(plan.runs.map(({ run_id }, index) => [run_id, index]));
  const rows = [...kept.rows()].sort((a, b) => (order.get(a.run_id) ?? 0) - (order.get(b.run_id) ?? 0));
  const variants = plan.variants.map(({ name }) => name);
  const summary = summaryOf(variants, rows, plan.repeat);
  const measured = { rows, summary, differences: differencesBetween(variants, rows) };
  const compare = before && compareEvals(before, measured);
  const stopped = rows.length < plan.runs.length;
  const answer: OneEval = {
    ...{ eval_id: plan.id, name: plan.name, ...about, ...measured, ...(compare ? { compare } : {}) },
    problems: stopped ? [] : problemsOf(spec.fail_under?.pass, summary, compare),
    stopped,
  };
  if (!stopped) kept.end(answer);
  return answer;
}

const NOTHING_MEASURED = {
  eval_id: null,
  rows: [],
  summary: [],
  differences: [],
  problems: [],
  stopped: false,
} as const;

function unfinished(home: string, checked: CheckedEval, { cwd }: EvalRequest): EvalFolder {
  const shown = shownPath(checked.file, cwd);
  const found = evalsIn(home).find(({ plan, folder }) => plan.file === checked.file && !folder.result());
  if (!found) throw refusal(`there is no eval of ${shown} that was not finished`);
  if (found.plan.digest !== digestOf(checked))
    throw refusal(
      `${shown} or its dataset has changed since the eval ${found.plan.id} began, so its rows could not be compared: start it again without --resume`,
    );
  return found.folder;
}

interface Planned {
  readonly checked: CheckedEval;
  readonly plan: EvalPlan;
  readonly folder: EvalFolder;
}

/** Every run that has no row yet, a few at a time. */
async function measureAll(store: RunStore, { checked, plan, folder }: Planned, request: EvalRequest): Promise<void> {
  const { path: _, dryRun: _dry, resume: _resume, compare: _compare, onRow, parallel = PARALLEL, ...driving } = request;
  const { spec, scenario } = checked;
  const fixtures = await sharedAnswers(store, { checked, plan, folder }, request);
  const graders = graderWorld(checked, driving, createRedactor({ secrets: secretsFromEnvironment(request.env) }));
  const measuring: Measuring = { checked, store, driving, graders };
  const known = new Map(folder.rows().map((row) => [row.run_id, row]));
  const left = plan.runs.filter(({ run_id }) => !known.has(run_id));
  let done = known.size;
  let spent = [...known.values()].reduce((sum, row) => sum + (row.cost_usd ?? 0) + row.grading_usd, 0);
  const recorded = new Map<string, ReturnType<typeof answersOfRun>>();
  const answersOf = (run: string | undefined) => {
    if (run === undefined) return undefined;
    const answers = recorded.get(run) ?? shownRecording(store, run, request).then((one) => answersOfRun(one, request));
    recorded.set(run, answers);
    return answers;
  };
  const next = async (): Promise<void> => {
    for (let planned = left.shift(); planned && !request.signal?.aborted; planned = left.shift()) {
      const row = plan.rows[planned.row];
      if (!row) continue;
      const budgetUsd = spec.budget_usd === undefined ? undefined : spec.budget_usd - spent;
      let measured: EvalRow | undefined;
      if (budgetUsd !== undefined && budgetUsd <= 0) measured = beyondBudget(planned, row, spec.budget_usd ?? 0);
      else {
        const set = plan.variants.find(({ name }) => name === planned?.variant)?.set ?? {};
        const answers = await answersOf(row.run);
        const written = rowScenario(checked, {
          ...{ row, set, fixtures },
          ...(answers ? { recorded: answers } : {}),
          ...(budgetUsd === undefined ? {} : { budgetUsd }),
        });
        const file = folder.scenarioOf(planned);
        folder.saveScenario(join("rows", `${planned.run_id}.scenario.yaml`), written);
        measured = await measureRow(measuring, { row, planned, scenario: file });
      }
      if (!measured) return;
      folder.addRow(measured);
      spent += (measured.cost_usd ?? 0) + measured.grading_usd;
      done += 1;
      onRow?.(measured, done, plan.runs.length);
    }
  };
  try {
    // Answers of a judge that are scripted come in the order of the rows.
    const count = scenario?.scenario.agent_scripts[JUDGE] ? 1 : parallel;
    await Promise.all(Array.from({ length: count }, next));
  } finally {
    await graders.close();
  }
}

const beyondBudget = (
  { variant, repeat, run_id }: EvalPlan["runs"][number],
  { id, tags }: EvalPlan["rows"][number],
  budget: number,
): EvalRow => ({
  ...{ id, variant, repeat, passed: null, grades: [], run_id, status: "not_run", kind: null },
  ...{ cost_usd: null, duration_ms: null, tokens: null, tags, errors: [], grading_usd: 0 },
  why: `budget_usd ($${budget}) was used up before it`,
});

/** One file for all rows; none where every step that reaches the world is live, or each row has its own run. */
async function sharedAnswers(store: RunStore, { checked, plan, folder }: Planned, request: EvalRequest) {
  const isNeeded = answeredFor(checked).length > 0 && plan.rows.some(({ run }) => run === undefined);
  if (!isNeeded) return [];
  const answers = await answersToQuestions(store, checked.workflow, request);
  if (Object.keys(answers).length === 0) return [];
  folder.saveScenario("recorded.yaml", answers);
  return ["../recorded.yaml"];
}

async function previewOf(store: RunStore, checked: CheckedEval, plan: EvalPlan): Promise<EvalPreview> {
  const past = await store.runs({ file: checked.workflow.file, limit: 50 });
  const costs = past.flatMap(({ costUsd, status }) => (costUsd === null || status === "running" ? [] : [costUsd]));
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  return {
    ...{ runs: plan.runs.length, rows: plan.rows.length, live: liveCalls(checked), answered: answeredFor(checked) },
    graders: checked.spec.grade.flatMap(({ judge, script, grader, provider, model }) =>
      judge !== undefined && checked.scenario?.scenario.agent_scripts[JUDGE]
        ? []
        : judge !== undefined
          ? [`a judge asks ${[provider, model].filter(Boolean).join(" ") || "the workflow's model"}`]
          : script !== undefined
            ? [`${script} is started`]
            : grader !== undefined
              ? [`the plugin's grader ${grader} is called`]
              : [],
    ),
    estimate_usd: costs.length === 0 ? null : Math.round(mean * plan.runs.length * 1e4) / 1e4,
    past_runs: costs.length,
  };
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
