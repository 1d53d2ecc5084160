// Which runs an eval makes: every row with every variant, as often as it is repeated.
import { createHash } from "node:crypto";
import { newRunId } from "../../hosts/run-id.ts";
import type { RunStore } from "../../hosts/store.ts";
import { pastRuns } from "../history/past-runs.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { nowOf } from "../session/store.ts";
import type { CheckedEval } from "./check-eval.ts";
import { commitOf } from "./compare.ts";
import type { DatasetRow } from "./dataset.ts";
import { type PastRunsOf, rowsFrom } from "./eval-file.ts";
import type { EvalPlan } from "./eval-store.ts";
import { shownRecording } from "./recorded-answers.ts";
import { evalName } from "./row-scenario.ts";

/** So many past runs are rows, unless `limit` says another number. */
const RUNS = 100;

export async function planEval(store: RunStore, checked: CheckedEval, session: Session): Promise<EvalPlan> {
  const { file, spec, workflow } = checked;
  const { repeat, variants } = spec;
  const rows = await rowsOf(store, checked, session);
  const now = nowOf(store);
  // A row in all its variants and repeats is done before the next one: what is measured early can be compared.
  const runs = rows.flatMap((_, row) =>
    variants.flatMap(({ name }) =>
      Array.from({ length: repeat }, (_none, index) => ({
        ...{ row, variant: name, repeat: index + 1, run_id: newRunId(now) },
      })),
    ),
  );
  return {
    ...{ id: newRunId(now), name: evalName(checked), file, workflow: workflow.file },
    started_at: new Date(now).toISOString(),
    commit: commitOf("HEAD", file) ?? null,
    ...(store.fleet ? { is_on_fleet: true } : {}),
    ...{ digest: digestOf(checked), variants, repeat, rows, runs },
  };
}

/** Of what was asked: a resume goes on only with the same. */
export const digestOf = ({ texts }: CheckedEval): string =>
  createHash("sha256").update(JSON.stringify(texts)).digest("hex");

async function rowsOf(
  store: RunStore,
  { spec, workflow, rows, file }: CheckedEval,
  session: Session,
): Promise<readonly DatasetRow[]> {
  if (rows) return rows.map(({ place: _, ...row }) => row);
  const { runs } = rowsFrom(spec) as { readonly runs: PastRunsOf };
  const { since, status, limit = RUNS } = runs;
  const found: DatasetRow[] = [];
  const past = await pastRuns(store, {
    ...{ cwd: session.cwd, file: workflow.file, ...(since === undefined ? {} : { since }) },
  });
  for (const { runId, status: ended } of past) {
    if (found.length >= limit) break;
    if (ended === "running" || (status !== undefined && ended !== status)) continue;
    const row = await rowOfRun(store, runId, spec.step, session);
    if (row) found.push(row);
  }
  if (found.length === 0)
    throw refusal(
      `${shownPath(file, session.cwd)} takes its rows from past runs of ${shownPath(workflow.file, session.cwd)}, and none of them is like that`,
      {
        hint: "Run it first (segno run), or ask for others under `runs:`. Runs with --scenario and rows of evals do not count.",
      },
    );
  return found;
}

/** A past run as a row: what it was given, and what it came to. Nothing for one that a scenario answered. */
export async function rowOfRun(
  store: RunStore,
  runId: string,
  step: string | undefined,
  session: Session,
): Promise<DatasetRow | undefined> {
  const { inputs, state, attempts, isRehearsal } = await shownRecording(store, runId, session);
  if (isRehearsal) return undefined;
  const ofStep = [...attempts.values()].flat().filter(({ node, path }) => path.length === 0 && node === step);
  const expected = step === undefined ? state.output : ofStep.at(-1)?.output;
  return { id: runId, inputs, expected: expected ?? null, tags: [state.status], run: runId };
}
