// Measures every row of an eval that is not measured yet: a few runs at a time, here or on the workers of a fleet, as long as
// the budget lasts.

import { join } from "node:path";
import { keptIn } from "../../base/errors/mapping.ts";
import { createRedactor, secretsFromEnvironment } from "../../base/redact/index.ts";
import type { DriveListeners } from "../../services/request.ts";
import type { Session } from "../../services/session/session.ts";
import type { RunStore } from "../../storage/store.ts";
import type { CheckedEval } from "./check-eval.ts";
import type { DatasetRow } from "./dataset.ts";
import { answersOfRun, answersToQuestions, rowScenario, shownRecording } from "./eval-rows.ts";
import type { EvalFolder, EvalPlan, PlannedRun } from "./eval-store.ts";
import { graderWorld, JUDGE } from "./graders/grader-world.ts";
import { answeredFor } from "./live-steps.ts";
import { type Measuring, measureRow } from "./measure-row.ts";
import type { EvalRow } from "./summary.ts";

export interface MeasureSettings {
  /** How many rows run at a time; left out: 4, on a fleet as many as its workers take. */
  readonly parallel?: number;
  /** Called after each row. */
  readonly onRow?: (row: EvalRow, done: number, total: number) => void;
}

interface Planned {
  readonly checked: CheckedEval;
  readonly plan: EvalPlan;
  readonly folder: EvalFolder;
}

const PARALLEL = 4;

export async function measureAll(
  store: RunStore,
  { checked, plan, folder }: Planned,
  session: Session,
  { onRow, parallel }: MeasureSettings,
  { said, ...others }: DriveListeners,
): Promise<void> {
  const listeners = { ...others, ...(said ? { said: once(said) } : {}) };
  const { spec, scenario } = checked;
  const fixtures = await sharedAnswers(store, { checked, plan, folder }, session);
  const graders = graderWorld(
    checked,
    session,
    listeners.signal,
    createRedactor({ secrets: secretsFromEnvironment(session.env) }),
  );
  const measuring: Measuring = { evalId: plan.id, checked, store, session, listeners, graders };
  const known = new Map(folder.rows(plan).map((row) => [row.run_id, row]));
  const left = plan.runs.filter(({ run_id }) => !known.has(run_id));
  let done = known.size;
  // Answers of a judge that are scripted come in the order of the rows.
  const count = scenario?.scenario.agent_scripts[JUDGE] ? 1 : (parallel ?? (await atATime(store)));
  const budget =
    spec.budget_usd === undefined ? undefined : new EvalBudget(spec.budget_usd, count, [...known.values()]);
  const recorded = new Map<string, ReturnType<typeof answersOfRun>>();
  const answersOf = (run: string) =>
    keptIn(recorded, run, () => shownRecording(store, run, session).then((one) => answersOfRun(one, session)));
  const measure = async (planned: PlannedRun, row: DatasetRow, part: number | undefined) => {
    const set = plan.variants.find(({ name }) => name === planned.variant)?.set ?? {};
    const answers = row.run === undefined ? undefined : await answersOf(row.run);
    const budgetUsd = part === undefined ? undefined : budget?.capOf(part);
    const written = rowScenario(checked, { set, fixtures, recorded: answers, budgetUsd });
    const file = folder.saveScenario(join("rows", `${planned.run_id}.scenario.yaml`), written);
    return measureRow(measuring, { row, planned, scenario: file });
  };
  const next = async (): Promise<void> => {
    for (let planned = left.shift(); planned && !listeners.signal?.aborted; planned = left.shift()) {
      const row = plan.rows[planned.row];
      if (!row) continue;
      const part = await budget?.take();
      let measured: EvalRow | undefined;
      try {
        if (part !== undefined && part <= 0) measured = beyondBudget(planned, row, spec.budget_usd ?? 0);
        else measured = await measure(planned, row, part);
      } finally {
        if (part !== undefined) budget?.end(part, measured);
      }
      if (!measured) return;
      folder.addRow(measured);
      done += 1;
      onRow?.(measured, done, plan.runs.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: count }, next));
  } finally {
    await graders.close();
  }
}

/** What each worker of a fleet takes, so that all of them have something to do. */
async function atATime({ fleet }: RunStore): Promise<number> {
  const workers = (await fleet?.workers()) ?? [];
  return Math.max(
    PARALLEL,
    workers.reduce((sum, { concurrency }) => sum + (concurrency ?? 0), 0),
  );
}

/** Rows that wait side by side have the same to say. */
function once(said: (text: string) => void): (text: string) => void {
  const texts = new Set<string>();
  return (text) => {
    if (texts.has(text)) return;
    texts.add(text);
    said(text);
  };
}

const beyondBudget = (
  { variant, repeat, run_id }: EvalPlan["runs"][number],
  { id, tags }: EvalPlan["rows"][number],
  budget: number,
): EvalRow => ({
  id,
  variant,
  repeat,
  passed: null,
  grades: [],
  run_id,
  status: "not_run",
  kind: null,
  cost_usd: null,
  duration_ms: null,
  tokens: null,
  tags,
  errors: [],
  grading_usd: 0,
  why: `budget_usd ($${budget}) was used up before it`,
});

/** One file for all rows; none where every step that reaches the world is live, or each row has its own run. */
async function sharedAnswers(store: RunStore, { checked, plan, folder }: Planned, session: Session) {
  const isNeeded = answeredFor(checked).length > 0 && plan.rows.some(({ run }) => run === undefined);
  if (!isNeeded) return [];
  const answers = await answersToQuestions(store, checked.workflow, session);
  if (Object.keys(answers).length === 0) return [];
  folder.saveScenario("recorded.yaml", answers);
  return ["../recorded.yaml"];
}

/** So many times the most expensive row so far must be free for the next one to run beside others. */
const ROOM = 2;

/** What is left of the budget. A row takes its part before it starts, so that no dollar is spent twice. */
class EvalBudget {
  #spent = 0;
  #taken = 0;
  #underWay = 0;
  #ended = 0;
  /** What a row has cost at most, and its judges. */
  #most = 0;
  #mostGrading = 0;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly usd: number,
    private readonly parallel: number,
    rows: readonly EvalRow[],
  ) {
    for (const row of rows) this.#count(row);
  }

  /** A part of it for the next row, as soon as there is one; 0 or less: it is used up. */
  async take(): Promise<number> {
    for (let part = this.#part(); ; part = this.#part()) {
      if (part !== undefined) {
        this.#taken += part;
        this.#underWay += 1;
        return part;
      }
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  /** What a run with this part may cost: its judges are paid from the same. */
  capOf(part: number): number {
    return roundUsd(part > this.#mostGrading ? part - this.#mostGrading : part);
  }

  /** Gives back what was not used. */
  end(part: number, row: EvalRow | undefined): void {
    this.#taken -= part;
    this.#underWay -= 1;
    if (row) this.#count(row);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The first row runs alone, and so does one for which there is not room enough beside others. */
  #part(): number | undefined {
    const free = roundUsd(this.usd - this.#spent - this.#taken);
    const part = Math.max(free / Math.max(1, this.parallel - this.#underWay), ROOM * this.#most);
    if (this.#ended > 0 && part > 0 && part <= free) return part;
    return this.#underWay === 0 ? free : undefined;
  }

  #count({ cost_usd, grading_usd }: EvalRow): void {
    const cost = (cost_usd ?? 0) + grading_usd;
    this.#spent += cost;
    this.#ended += 1;
    this.#most = Math.max(this.#most, cost);
    this.#mostGrading = Math.max(this.#mostGrading, grading_usd);
  }
}

/** Sums of cents in binary have a tail of digits without meaning. */
const roundUsd = (usd: number): number => Number(usd.toFixed(6));
