// The rows of an eval: the runs that it makes of them, rows that are made of past runs, and the scenario that answers
// for what is not live in a row's run.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isMapping } from "../../base/errors/mapping.ts";
import { type Head, head } from "../../base/results/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { redactorFor } from "../../services/reading/read-run.ts";
import { orRefused, refusal } from "../../services/refusals.ts";
import { shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { namedRun, nowOf, reading, withStore } from "../../services/session/store.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { RunStore } from "../../storage/store.ts";
import { byPlace, playRun } from "../history/play.ts";
import { recordingToKeep } from "../history/record.ts";
import { pastRuns, type Recording, recordingOf } from "../history/recording.ts";
import { listAndAnswer, repliesOf, scenarioOf, type WrittenScenario } from "../history/scenario-of-run.ts";
import type { CheckedEval } from "./check-eval.ts";
import { type DatasetRow, readDataset } from "./dataset.ts";
import { type PastRunsOf, rowsFrom } from "./eval-file.ts";
import type { EvalPlan } from "./eval-store.ts";
import { JUDGE } from "./graders/grader-world.ts";
import { liveAgents } from "./live-steps.ts";
import { commitOf } from "./past-evals.ts";

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
        row,
        variant: name,
        repeat: index + 1,
        run_id: newRunId(now),
      })),
    ),
  );
  return {
    id: newRunId(now),
    name: evalName(checked),
    file,
    workflow: workflow.file,
    started_at: new Date(now).toISOString(),
    commit: commitOf("HEAD", file) ?? null,
    ...(store.fleet ? { is_on_fleet: true } : {}),
    digest: digestOf(checked),
    variants,
    repeat,
    rows,
    runs,
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
  const past = await pastRuns(store, { cwd: session.cwd, file: workflow.file, since });
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
async function rowOfRun(
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

// `segno eval add`: makes a row of a run, at the end of a dataset.

export interface AddRowRequest {
  readonly run: string;
  /** A .jsonl file; it is made when it is not there. */
  readonly to: string;
  /** Instead of the id of the run. */
  readonly id?: string;
  readonly tags?: readonly string[];
  /** For an eval of one step: what is expected is its output. */
  readonly step?: string;
  /** Instead of what the run came to; asked with that, where a person can be asked. Undefined: nothing is written. */
  readonly expected?: (came: unknown) => Promise<{ readonly value: unknown } | undefined>;
}

export const addEvalRow = (
  session: Session,
  request: AddRowRequest,
): Promise<Head & { readonly file: string | null; readonly row: DatasetRow | null }> =>
  orRefused(session, { file: null, row: null }, () =>
    withStore(session, async (store) => {
      const { to, id, tags, step, expected } = request;
      const file = resolve(session.cwd, to);
      if (!/\.(jsonl|ndjson)$/.test(to)) throw refusal(`rows are added to a .jsonl file, and ${to} is none`);
      const runId = await namedRun(store, session, request);
      const made = await rowOfRun(store, runId, step, session);
      if (!made) throw refusal(`a scenario answered for the run ${runId}: nothing of it happened, so it is no row`);
      if (step !== undefined && made.expected === null && !expected)
        throw refusal(`step ${step} gave no answer in the run ${runId}: say with --expected what is expected of it`);
      const named = { ...made, id: id ?? made.id, tags: tags ?? [] };
      const place = { file, line: 1, column: 1 };
      const { rows } = existsSync(file) ? readDataset(file, place) : { rows: [] };
      const before = rows.find((row) => row.id === named.id);
      if (before)
        throw refusal(
          `${shownPath(file, session.cwd)}:${before.place.line}:1 has the row ${named.id} already: give this one another name with --id`,
        );
      const wanted = expected ? await expected(named.expected) : { value: named.expected };
      if (!wanted) return { ...head(130), error: "nothing was written", file: null, row: null };
      const row = { ...named, expected: wanted.value };
      const isWhole = !existsSync(file) || /(^|\n)$/.test(readFileSync(file, "utf8"));
      appendFileSync(file, `${isWhole ? "" : "\n"}${JSON.stringify(row)}\n`);
      return { ...head(0), file: shownPath(file, session.cwd), row };
    }),
  );

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
    policies: { ...asMapping(recorded.policies), ...asMapping(own.policies) },
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

/** So many of the newest runs are looked at. */
const NEWEST = 50;

/** Without secrets: what is made of it is kept in files. */
export const shownRecording = (store: RunStore, runId: string, session: Session): Promise<Recording> =>
  reading(store, runId, async (reader) =>
    recordingToKeep(await recordingOf(reader, session), await redactorFor(reader, session)),
  );

/** The scenario of one run, its agents' answers included. */
export async function answersOfRun(recording: Recording, session: Session): Promise<WrittenScenario> {
  const { workflow } = recording;
  if (!workflow) return {};
  const played = await playRun(recording, workflow, byPlace(recording), session);
  const scenario = scenarioOf(recording, played, { file: workflow.file, withTimes: false });
  const { workflow: _, started_by: _startedBy, strict: _strict, ...answers } = scenario;
  return answers;
}

/** Of each gate what was answered last. */
const olderReplies = (newer: WrittenScenario, older: WrittenScenario): WrittenScenario => ({
  ...older,
  ...newer,
  ...Object.fromEntries(
    (["gates", "questions"] as const).flatMap((name) =>
      older[name] && newer[name] ? [[name, { ...(older[name] as object), ...(newer[name] as object) }]] : [],
    ),
  ),
});

/** By question, the newest first: a fixture for all rows. */
export async function answersToQuestions(
  store: RunStore,
  { file }: LoadedWorkflow,
  session: Session,
): Promise<WrittenScenario> {
  const lists: Record<string, WrittenScenario[]> = {};
  const seen = new Set<string>();
  let replies: WrittenScenario = {};
  for (const { runId, status } of await pastRuns(store, { cwd: session.cwd, file, limit: NEWEST })) {
    if (status === "running") continue;
    const recording = await shownRecording(store, runId, session).catch(() => undefined);
    if (!recording?.workflow || recording.isRehearsal) continue;
    const played = await playRun(recording, recording.workflow, byPlace(recording), session).catch(() => undefined);
    // What waits for an answer has none to give.
    if (status !== "paused")
      replies = olderReplies(
        replies,
        repliesOf({ replies: [...recording.replies.values()], state: recording.state }, false),
      );
    for (const { question, recorded } of played?.asked ?? []) {
      const key = `${recorded.node} ${question}`;
      if (recorded.type === "agent" || seen.has(key)) continue;
      seen.add(key);
      const [list, answer] = listAndAnswer(recorded);
      lists[list] = [...(lists[list] ?? []), { step: recorded.node, question, ...answer }];
    }
  }
  return { ...lists, ...replies };
}
