// Predicts what a retry of letters would do, run by run, by rehearsing its drives.

import { COMMAND_LINE } from "../../base/results/index.ts";
import type { Letter } from "../../storage/shared-state.ts";
import type { RunStore } from "../../storage/store.ts";
import { NOTHING_PLANNED, planOfResume, type ResumePlan } from "../explain/plan.ts";
import { readStory } from "../explain/read-story.ts";
import { Refused } from "../refusals.ts";
import { requireResumable } from "../runs/resume.ts";
import type { Session } from "../session/session.ts";
import { nowOf, reading } from "../session/store.ts";
import { byRun, reopeningOf } from "./retry.ts";

export interface RetryPlanOfRun {
  readonly run_id: string;
  readonly workflow: string;
  readonly letters: readonly string[];
  /** null: not looked at, since there are many runs. */
  readonly plan: ResumePlan | null;
}

export interface PlanningRetry {
  readonly store: RunStore;
  readonly session: Session;
  /** Throws what the retry of that run would be refused with, beyond what a resume is refused with. */
  readonly requireAllowed: (runId: string) => Promise<unknown>;
}

/** Each rehearsal takes time, and more plans than this are not read. */
const MOST_RUNS = 5;

export async function planOfRetry(
  letters: readonly Letter[],
  planning: PlanningRetry,
): Promise<readonly RetryPlanOfRun[]> {
  const plans: RetryPlanOfRun[] = [];
  for (const [run_id, some] of byRun(letters))
    plans.push({
      run_id,
      workflow: some[0]?.workflow ?? "",
      letters: some.map(({ id }) => id),
      plan: plans.length < MOST_RUNS ? await planOfRun(run_id, some, planning) : null,
    });
  return plans;
}

async function planOfRun(runId: string, letters: readonly Letter[], planning: PlanningRetry): Promise<ResumePlan> {
  const { store, session, requireAllowed } = planning;
  const { reader: asking = COMMAND_LINE } = session;
  const [only, ...more] = letters;
  const which = only && more.length === 0 ? { letter: only.id } : { run: runId };
  const command = asking.ask({ to: "retry", ...which }) ?? "";
  const reopen = await reopeningOf(store, runId, letters);
  try {
    await requireAllowed(runId);
    await requireResumable(store, runId, session, { target: runId, inputs: {}, reopen });
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { command, changes: [], ...NOTHING_PLANNED, refused: problem.result.errors };
  }
  return reading(store, runId, async (reader) => {
    const story = await readStory(reader, session);
    const plan = await planOfResume({ reader, store, story, session, now: nowOf(store), reopen, command });
    return story.redactor.answer(plan, { keys: "author" });
  });
}
