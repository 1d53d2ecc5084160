// Which runs an eval makes: every row with every variant, as often as it is repeated.
import { createHash } from "node:crypto";
import { isMapping } from "../../errors/mapping.ts";
import { newRunId } from "../../hosts/run-id.ts";
import type { RunStore } from "../../hosts/store.ts";
import { pastRuns } from "../history/past-runs.ts";
import type { WrittenScenario } from "../history/scenario-of-run.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { nowOf } from "../session/store.ts";
import type { CheckedEval } from "./check-eval.ts";
import { commitOf } from "./compare.ts";
import type { DatasetRow } from "./dataset.ts";
import { type PastRunsOf, rowsFrom } from "./eval-file.ts";
import type { EvalPlan } from "./eval-store.ts";
import { JUDGE } from "./graders/grader-world.ts";
import { allSteps, isWithin, liveAgents, reachesWorld } from "./live-steps.ts";
import { shownRecording } from "./recorded-answers.ts";

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

// The scenario of one row: what is live, and who answers for everything else. A row is an ordinary run with it, so that it can
// be looked at, and resumed, as any other. The row's inputs are given to the run itself, which keeps those that are secret.

const LISTS = ["cli_scripts", "http_scripts", "mcp_scripts", "step_scripts", "inject"] as const;

export interface RowWorld {
  readonly set: Readonly<Record<string, unknown>>;
  /** What the row's own run was answered. */
  readonly recorded?: WrittenScenario;
  /** Files of answers, relative to the scenario's. */
  readonly fixtures: readonly string[];
  readonly budgetUsd?: number;
}

export function rowScenario(checked: CheckedEval, world: RowWorld): WrittenScenario {
  const { spec, workflow, scenario } = checked;
  const { set, recorded = {}, fixtures, budgetUsd } = world;
  const own = { ...(scenario?.scenario ?? {}) } as Record<string, unknown>;
  const { [JUDGE]: _, ...scripted } = asMapping(own.agent_scripts);
  return {
    workflow: workflow.file,
    ...(own.env ? { env: own.env } : {}),
    ...(fixtures.length > 0 ? { fixtures } : {}),
    agent_scripts: { ...agentsBefore(checked, recorded), ...scripted },
    ...Object.fromEntries(LISTS.map((name) => [name, [...asList(own[name]), ...asList(recorded[name])]])),
    gates: { ...asMapping(recorded.gates), ...asMapping(own.gates) },
    questions: { ...asMapping(recorded.questions), ...asMapping(own.questions) },
    live: spec.live,
    live_agents: liveAgents(workflow, spec.step),
    set: { ...set, ...budgetOf(checked, budgetUsd) },
    ...(spec.step === undefined ? {} : { until: spec.step }),
    started_by: own.started_by ?? `eval:${evalName(checked)}`,
    strict: true,
    ...(own.strict_gates === undefined ? {} : { strict_gates: own.strict_gates }),
  };
}

const evalName = ({ spec, file }: Pick<CheckedEval, "spec" | "file">): string =>
  spec.name ?? (file.split(/[\\/]/).at(-1) ?? file).replace(/(\.eval)?\.ya?ml$/, "");

const asMapping = (value: unknown): Readonly<Record<string, unknown>> => (isMapping(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Only an eval of one step has agents that are answered for. */
function agentsBefore({ spec, workflow }: CheckedEval, recorded: WrittenScenario): Readonly<Record<string, unknown>> {
  const { step } = spec;
  if (step === undefined) return {};
  const live = liveAgents(workflow, step) as readonly string[];
  return Object.fromEntries(Object.entries(asMapping(recorded.agent_scripts)).filter(([name]) => !live.includes(name)));
}

/** A limit of the workflow itself that is lower stays. */
function budgetOf({ workflow }: CheckedEval, usd: number | undefined): Readonly<Record<string, unknown>> {
  const { budget_usd, budget_mode } = workflow.definition.workflow.limits;
  if (usd === undefined || (budget_mode === "enforce" && (budget_usd ?? Number.POSITIVE_INFINITY) <= usd)) return {};
  return { "limits.budget_usd": usd, "limits.budget_mode": "enforce" };
}

export interface LiveCall {
  readonly step: string;
  readonly type: string;
  readonly model?: string;
}

/** What an eval would do for real, in the order of the files. */
export function liveCalls(checked: CheckedEval): readonly LiveCall[] {
  const { spec, workflow, scenario } = checked;
  const scripted = new Set(Object.keys(scenario?.scenario.agent_scripts ?? {}));
  const { default_model } = workflow.definition.workflow.runtime;
  return allSteps(workflow).flatMap((placed): LiveCall[] => {
    const { path, step } = placed;
    const name = [...path, step.name].join("/");
    const isMeant = spec.live.includes(step.name) || spec.live.includes(name);
    if (step.type !== "agent") return isMeant && reachesWorld(step) ? [{ step: name, type: step.type }] : [];
    const isOf = spec.step === undefined || isWithin(placed, spec.step);
    if (!isMeant && (!isOf || scripted.has(name) || scripted.has(step.name))) return [];
    const model = [step.model ?? default_model].flat()[0];
    return [{ step: name, type: step.type, ...(typeof model === "string" && model !== "" ? { model } : {}) }];
  });
}

/** Steps that reach the world and are not live: they need answers. */
export const answeredFor = ({ spec, workflow }: CheckedEval): readonly string[] =>
  allSteps(workflow)
    .filter(({ path, step }) => {
      const name = [...path, step.name].join("/");
      return reachesWorld(step) && !spec.live.includes(step.name) && !spec.live.includes(name);
    })
    .map(({ path, step }) => [...path, step.name].join("/"));
