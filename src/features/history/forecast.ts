// What a workflow file would come to, played many times with answers drawn from its past: success, time and cost before a
// change is deployed.
import { setImmediate as turn } from "node:timers/promises";
import { type Head, head } from "../../base/results/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { orRefused, refusal } from "../../services/refusals.ts";
import { shownFile } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { reading, withStore } from "../../services/session/store.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import type { RunStore } from "../../storage/store.ts";
import { spreadOf } from "../evals/summary.ts";
import {
  DrawnAnswers,
  endOf,
  endShares,
  failureShares,
  NONE,
  type Past,
  type PlayEnded,
  playMany,
  rounded,
  type Shares,
} from "./plays.ts";
import { noRuns, pastRuns, recordingOf } from "./recording.ts";

export interface ForecastRequest {
  readonly file: string;
  /** How often it is played; 1000 when left out. */
  readonly plays?: number;
  /** Only runs that began within this time are drawn from: `90d`. */
  readonly since?: string;
  /** The same seed gives the same forecast. */
  readonly seed?: number;
  /** Forecasts the newer half of the runs from the older half, and says how far off it was. */
  readonly check?: boolean;
  /** Called after each play. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Spread {
  readonly median: number;
  readonly p95: number;
}

export interface ForecastAnswer extends Head {
  readonly file: string;
  readonly plays: number;
  /** How many past runs the answers are from. */
  readonly history: number;
  readonly shares: Shares;
  /** Share of plays that fail with each kind; where there is none, at each `terminate` step, or by each limit. */
  readonly failures: Readonly<Record<string, number>>;
  readonly seconds: Spread;
  readonly cost_usd: Spread;
  /** The kinds whose attempts took the most, per play. */
  readonly costly: readonly { readonly kind: string; readonly seconds: number; readonly cost_usd: number }[];
  /** Steps without a history of their own: they were answered as others of their type were. */
  readonly borrowed: readonly string[];
  /** What a change would do to the share that completes. */
  readonly what_if: readonly { readonly change: string; readonly completed: number }[];
  /** With `check`: what the newer half came to, and the largest difference, in points of a hundred. */
  readonly check?: { readonly actual: Shares; readonly off_by: number; readonly runs: number };
}

const PLAYS = 1000;
/** Of a longer history the newest: older runs say less. */
const MOST_HISTORY = 500;

const NOTHING = { median: 0, p95: 0 };

export const forecast = (session: Session, request: ForecastRequest): Promise<ForecastAnswer> =>
  orRefused(
    session,
    {
      file: shownFile(request.file, session.cwd),
      plays: 0,
      history: 0,
      shares: NONE,
      failures: {},
      seconds: NOTHING,
      cost_usd: NOTHING,
      costly: [],
      borrowed: [],
      what_if: [],
    },
    () => withStore(session, (store) => forecasted(store, session, request)),
  );

async function forecasted(store: RunStore, session: Session, request: ForecastRequest): Promise<ForecastAnswer> {
  const { file, plays = PLAYS, seed = 1, check = false } = request;
  const workflow = validWorkflow(file, session, { asChild: true });
  const past = await historyOf(store, session, request);
  // Oldest first: a check tells the newer half from the older one.
  const half = Math.floor(past.length / 2);
  const known = check ? past.slice(0, half) : past;
  if (check && half < 2) throw refusal("a check needs at least 4 runs: it tells the newer half from the older one");
  const drawn = new DrawnAnswers(known, seed);
  const outcome = await playMany(workflow, drawn, session, { ...request, plays });
  const what_if = check
    ? []
    : await whatIf(workflow, outcome, { known, session, request: { ...request, plays, seed } });
  const newer = past.slice(half);
  return {
    ...head(0),
    file: shownFile(file, session.cwd),
    plays,
    history: known.length,
    ...summaryOf(outcome, plays),
    borrowed: [...drawn.borrowed].sort(),
    what_if,
    ...(check ? { check: { ...offBy(outcome, plays, newer), runs: newer.length } } : {}),
  };
}

async function historyOf(store: RunStore, session: Session, request: ForecastRequest): Promise<readonly Past[]> {
  const rows = (await pastRuns(store, { ...request, cwd: session.cwd, limit: MOST_HISTORY })).filter(
    ({ status }) => status !== "running",
  );
  const files = new Map<string, LoadedWorkflow>();
  const past: Past[] = [];
  for (const { runId } of [...rows].reverse()) {
    try {
      const { events: _, ...rest } = await reading(store, runId, (reader) => recordingOf(reader, session, files));
      if (!rest.isRehearsal) past.push(rest);
    } catch (problem) {
      session.leftOut?.(`run ${runId} cannot be read, and is left out: ${(problem as Error).message}`);
    }
    await turn();
  }
  if (past.length === 0) throw noRuns({ ...request, cwd: session.cwd });
  return past;
}

const MOST_COSTLY = 3;

function summaryOf(
  outcomes: readonly PlayEnded[],
  plays: number,
): Pick<ForecastAnswer, "shares" | "failures" | "seconds" | "cost_usd" | "costly"> {
  const costly = new Map<string, { seconds: number; cost_usd: number }>();
  for (const { asked } of outcomes) {
    for (const { error, seconds, usage } of asked) {
      if (!error) continue;
      const sum = costly.get(error.kind) ?? { seconds: 0, cost_usd: 0 };
      costly.set(error.kind, {
        seconds: sum.seconds + seconds / plays,
        cost_usd: sum.cost_usd + (usage.cost_usd ?? 0) / plays,
      });
    }
  }
  return {
    shares: endShares(outcomes.map(({ end }) => end)),
    failures: failureShares(outcomes, plays),
    seconds: rounded(spreadOf(outcomes.map(({ seconds }) => seconds))),
    cost_usd: rounded(spreadOf(outcomes.map(({ cost }) => cost))),
    costly: [...costly]
      .map(([kind, sum]) => ({ kind, ...rounded(sum) }))
      .sort((a, b) => b.cost_usd - a.cost_usd || b.seconds - a.seconds)
      .slice(0, MOST_COSTLY),
  };
}

const WORTH_SAYING = 0.01;

interface WhatIf {
  readonly session: Session;
  readonly known: readonly Past[];
  readonly request: ForecastRequest & { readonly plays: number; readonly seed: number };
}

/** One more retry wherever there is one; a route for what fails most often. */
async function whatIf(
  workflow: LoadedWorkflow,
  outcomes: readonly PlayEnded[],
  { known, session, request }: WhatIf,
): Promise<ForecastAnswer["what_if"]> {
  const routable = outcomes.filter(({ failure }) => failure?.isRoutable);
  const [worst] = Object.entries(failureShares(routable, request.plays)).sort(([, a], [, b]) => b - a);
  const completed = endShares(outcomes.map(({ end }) => end)).completed;
  const found: { change: string; completed: number }[] = [];
  const { onProgress: _, ...quiet } = request;
  const more = withMoreRetries(workflow);
  if (more && outcomes.some(({ end }) => end === "failed")) {
    const again = await playMany(more, new DrawnAnswers(known, request.seed), session, quiet);
    found.push({
      change: "one more retry on every route that retries",
      completed: endShares(again.map(({ end }) => end)).completed,
    });
  }
  if (worst)
    found.push({ change: `a route for ${worst[0]}`, completed: Math.round((completed + worst[1]) * 10_000) / 10_000 });
  // What is less is chance: other draws would say something else.
  return found.filter((one) => one.completed - completed >= WORTH_SAYING);
}

/** Nothing when no route retries. */
function withMoreRetries(workflow: LoadedWorkflow): LoadedWorkflow | undefined {
  let count = 0;
  const routed = <Node extends object>(node: Node): Node => {
    const { routes } = node as { routes?: readonly { readonly retry?: { readonly max?: number } }[] };
    if (!routes) return node;
    return {
      ...node,
      routes: routes.map((route) => {
        if (route.retry?.max === undefined) return route;
        count += 1;
        return { ...route, retry: { ...route.retry, max: route.retry.max + 1 } };
      }),
    };
  };
  const { definition } = workflow;
  const changed = {
    ...definition,
    agents: definition.agents.map(routed),
    parallel: definition.parallel.map(routed),
    for_each: definition.for_each.map((group) => routed({ ...group, agent: routed(group.agent) })),
  };
  return count === 0 ? undefined : { ...workflow, definition: changed };
}

function offBy(
  outcomes: readonly PlayEnded[],
  plays: number,
  newer: readonly Past[],
): Omit<NonNullable<ForecastAnswer["check"]>, "runs"> {
  const actual = endShares(
    newer.map(({ state }) => endOf(state.status, state.termination?.status === "success" ? 0 : null)),
  );
  const { shares } = summaryOf(outcomes, plays);
  const names = Object.keys(NONE) as (keyof Shares)[];
  const off = Math.max(...names.map((name) => Math.abs(shares[name] - actual[name])));
  return { actual, off_by: Math.round(off * 1000) / 10 };
}
