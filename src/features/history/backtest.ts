// What an edit would have done to past runs: each is played through the file as it is now, with the answers of its journal.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type Head, head } from "../../base/results/index.ts";
import { errorFlow } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, LoadWorld } from "../../language/loaded.ts";
import { childAt } from "../../services/reading/report.ts";
import { orRefused, refusal } from "../../services/refusals.ts";
import { environmentRedactor } from "../../services/session/exit.ts";
import { realFiles, shownFile, shownPath, withSnapshot } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { namedRun, reading, withStore } from "../../services/session/store.ts";
import { isToBeExpected } from "../../services/workflows/describe.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import type { RunStore } from "../../storage/store.ts";
import { byPlace, byQuestion, playRun, whyNotPlayed } from "./play.ts";
import { noRuns, pastRuns, type Recording, recordingOf } from "./recording.ts";
import { type BacktestVerdict, type RunVerdict, VERDICTS, verdictOf } from "./verdict.ts";

export interface BacktestRequest {
  readonly file: string;
  /** These runs; none: the newest of the file. */
  readonly runs?: readonly string[];
  /** At most so many of the newest; 100 when left out. */
  readonly limit?: number;
  /** Only those that started within this time: `30d`. */
  readonly since?: string;
  /** Instead of the file that each run was driven with: another file, or the same in another revision. */
  readonly against?: string;
  /** Not a success when a run would be worse, or differ at all. */
  readonly failOn?: "changed" | "worse";
  /** Called after each run. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface VerdictGroup extends Omit<RunVerdict, "run_id"> {
  readonly count: number;
  /** One of them, the newest. */
  readonly example: string;
  /** Where it is not known how a step ends: the errors that it can raise, and what would follow each (`segno errors`). */
  readonly can_follow?: readonly { readonly kind: string; readonly then: string }[];
}

export interface BacktestAnswer extends Head {
  readonly file: string;
  readonly newest: string | null;
  readonly counts: Readonly<Record<BacktestVerdict, number>>;
  readonly runs: readonly RunVerdict[];
  /** Runs that end alike, and one of them. */
  readonly groups: readonly VerdictGroup[];
}

const DEFAULT_RUNS = 100;

export const backtest = (session: Session, request: BacktestRequest): Promise<BacktestAnswer> =>
  orRefused(
    session,
    { file: shownFile(request.file, session.cwd), newest: null, counts: countsOf([]), runs: [], groups: [] },
    () => withStore(session, (store) => backtested(store, withSnapshot(session), request)),
  );

async function backtested(store: RunStore, session: Session, request: BacktestRequest): Promise<BacktestAnswer> {
  const { cwd } = session;
  const { file } = request;
  const workflow = validWorkflow(file, session, { asChild: true });
  const against = request.against === undefined ? undefined : fileBefore(request.against, session, request);
  const chosen = await chosenRuns(store, session, request);
  const verdicts = await verdictsOn(store, chosen.ids, {
    workflow,
    against,
    session,
    onProgress: request.onProgress,
    // A run that was named is meant.
    rehearsals: (request.runs ?? []).length > 0,
  });
  if (verdicts.length === 0) throw noRuns({ cwd, file });
  const runs = verdicts.map((verdict) => shown(verdict, session));
  const counts = countsOf(runs);
  const isChanged = counts.same < runs.length;
  const isFailed = request.failOn === "changed" ? isChanged : request.failOn === "worse" && counts.worse > 0;
  return {
    ...head(isFailed ? 1 : 0),
    error: isFailed ? `${runs.length - counts.same} of ${runs.length} runs would differ` : null,
    file: shownFile(file, cwd),
    newest: chosen.newest,
    counts,
    runs,
    groups: groupsOf(runs, workflow),
  };
}

interface Playing extends Pick<BacktestRequest, "onProgress"> {
  readonly workflow: LoadedWorkflow;
  readonly against?: LoadedWorkflow;
  readonly session: Session;
  /** Also runs that a scenario answered; they say nothing of what happens outside. */
  readonly rehearsals?: boolean;
}

export async function verdictsOn(
  store: RunStore,
  ids: readonly string[],
  { workflow, against, session, rehearsals = false, onProgress }: Playing,
): Promise<readonly RunVerdict[]> {
  const runs: RunVerdict[] = [];
  const files = new Map<string, LoadedWorkflow>();
  for (const [index, runId] of ids.entries()) {
    const verdict = await reading(store, runId, async (reader) => {
      const recording = await recordingOf(reader, session, files);
      return recording.isRehearsal && !rehearsals ? undefined : judged(recording, workflow, against, session);
      // One that cannot be read, whatever was done to it, takes no other with it.
    }).catch((problem: unknown) => unplayed(runId, "not known", problem));
    if (verdict) runs.push(verdict);
    onProgress?.(index + 1, ids.length);
    // Other work has a turn.
    await turn();
  }
  return runs;
}

/** Nothing of a run's values is in a verdict, but names of kinds and fields may hold what the environment hides. */
function shown(verdict: RunVerdict, { cwd, env }: Session): RunVerdict {
  const { file } = verdict;
  return environmentRedactor(env).answer(
    { ...verdict, file: file === null ? null : shownPath(file, cwd) },
    { keys: "author" },
  );
}

async function chosenRuns(
  store: RunStore,
  session: Session,
  { file, runs = [], since, limit }: BacktestRequest,
): Promise<{ readonly ids: readonly string[]; readonly newest: string | null }> {
  if (runs.length > 0) {
    const ids = await Promise.all(runs.map((run) => namedRun(store, session, { run })));
    return { ids: [...new Set(ids)], newest: null };
  }
  const most = limit ?? (since === undefined ? DEFAULT_RUNS : undefined);
  const found = await pastRuns(store, { cwd: session.cwd, file, since, limit: most });
  return { ids: found.map(({ runId }) => runId), newest: found[0]?.started ?? null };
}

function fileBefore(against: string, session: Session, request: BacktestRequest): LoadedWorkflow {
  const { cwd, env } = session;
  const { file } = request;
  if (existsSync(resolve(cwd, against))) return validWorkflow(against, session, { asChild: true });
  return validWorkflow(file, session, { asChild: true }, filesOfRevision(against, resolve(cwd, file), env));
}

function filesOfRevision(revision: string, file: string, env: Session["env"]): LoadWorld {
  // A partial clone would fetch what it lacks, with programs that its configuration names.
  const offline = ["-c", "protocol.allow=never"];
  const git = (...args: readonly string[]): Buffer =>
    execFileSync("git", [...offline, ...args], {
      cwd: dirname(file),
      env: { ...env, GIT_NO_LAZY_FETCH: "1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
  } catch {
    throw refusal(`${JSON.stringify(revision)} is neither a file nor a revision of git here`);
  }
  const read = (path: string): Buffer => {
    try {
      return git("show", `${revision}:./${relative(dirname(file), path).split(sep).join("/")}`);
    } catch {
      throw Object.assign(new Error(`${path} is not in ${revision}`), { code: "ENOENT" });
    }
  };
  return {
    ...realFiles(env),
    read,
    exists(path) {
      try {
        read(path);
        return true;
      } catch {
        return false;
      }
    },
  };
}

async function judged(
  recording: Recording,
  workflow: LoadedWorkflow,
  against: LoadedWorkflow | undefined,
  session: Session,
): Promise<RunVerdict> {
  const { runId, workflow: driven, state } = recording;
  const unknown = (why: unknown): RunVerdict => unplayed(runId, state.status, why);
  if (!driven) return unknown("the run ended before its file was read");
  try {
    const recorded = await playRun(recording, driven, byPlace(recording), session);
    const problem = whyNotPlayed(recording, recorded);
    if (problem !== undefined) return unknown(problem);
    const before = against ? await playRun(recording, against, byQuestion(recording, recorded), session) : recorded;
    const after = await playRun(recording, workflow, byQuestion(recording, recorded), session);
    return verdictOf({ runId, before, after, from: against ?? driven, to: workflow });
  } catch (problem) {
    return unknown(problem);
  }
}

const unplayed = (runId: string, was: string, why: unknown): RunVerdict => ({
  run_id: runId,
  verdict: "unknown",
  step: null,
  file: null,
  line: null,
  change: null,
  was,
  now: "not known",
  why: why instanceof Error ? `it cannot be played: ${why.message}` : String(why),
});

function countsOf(runs: readonly RunVerdict[]): Record<BacktestVerdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<BacktestVerdict, number>;
  for (const { verdict } of runs) counts[verdict] += 1;
  return counts;
}

function groupsOf(runs: readonly RunVerdict[], workflow: LoadedWorkflow): readonly VerdictGroup[] {
  const groups = new Map<string, VerdictGroup>();
  for (const { run_id, ...rest } of runs) {
    const { verdict, step, line, was, now, fields, why } = rest;
    const end = verdict === "unknown" ? why : [was, now, fields];
    const alike = JSON.stringify(verdict === "same" ? verdict : [verdict, step, line, end]);
    const group = groups.get(alike);
    groups.set(alike, group ? { ...group, count: group.count + 1 } : { ...rest, count: 1, example: run_id });
  }
  return [...groups.values()]
    .map((group) => ({ ...group, ...errorsAfter(group, workflow) }))
    .sort((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) || b.count - a.count);
}

function errorsAfter({ verdict, step }: VerdictGroup, root: LoadedWorkflow): Pick<VerdictGroup, "can_follow"> {
  const path = verdict === "unknown" && step !== null ? step.split("/") : [];
  const workflow = path.length === 0 ? undefined : childAt(root, path.slice(0, -1));
  const flow = workflow && errorFlow(workflow).steps.find(({ node_id }) => node_id === path.at(-1));
  const raises = (flow?.raises ?? []).filter(({ kind }) => isToBeExpected(kind));
  const can_follow = raises.map(({ kind, first = [], handled_by, propagated_by, resilience }) => {
    const last = handled_by ?? propagated_by;
    const then = [...first, ...(last ? [last] : [])].map(({ action, line }) => `${action} (line ${line})`);
    return { kind, then: [...then, ...(last ? [] : [resilience ? "resilience" : "unhandled"])].join(", then ") };
  });
  return can_follow.length === 0 ? {} : { can_follow };
}
