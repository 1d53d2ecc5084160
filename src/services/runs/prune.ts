// `segno runs prune`, and what servers and workers remove by the project's `retention`: which runs are old, and which
// of them stay because they may still be needed.

import { plainEntry } from "../../base/results/entry.ts";
import { COMMAND_LINE, type Head, head } from "../../base/results/index.ts";
import type { Entry, RunSummary } from "../../base/results/result.ts";
import { removeEvalsWithout } from "../../features/evals/eval-store.ts";
import { removeWhatAgentsLeft } from "../../steps/outside.ts";
import { parseDuration } from "../../steps/schema/readings.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { RunStore, RunsByFile, StoredRun } from "../../storage/store.ts";
import { forgetSecretsOfAll } from "../reading/forget-secrets.ts";
import { orRefused, refusal } from "../refusals.ts";
import { projectFolder } from "../session/find-project.ts";
import { homeOf } from "../session/home.ts";
import type { Session } from "../session/session.ts";
import { isRunBelow, nowOf, withStore } from "../session/store.ts";
import { summaryOf } from "./runs.ts";

/** How many of the newest of each workflow stay when nothing is said. */
export const KEPT_RUNS = 200;

/** Which runs are old. A run goes when all that is given holds for it. */
export interface PruneRule {
  /** Milliseconds since its end, or its beginning where it has no end. */
  readonly olderThanMs?: number;
  /** How many of the newest of each workflow stay, whatever became of them. */
  readonly keep?: number;
  readonly status?: string;
  readonly workflow?: string;
  /** Also those that can be resumed, that wait for an answer, or that have open letters. */
  readonly resumable?: boolean;
}

export interface PruneRequest extends Omit<PruneRule, "olderThanMs"> {
  /** `30d`, `12h`. */
  readonly olderThan?: string;
  /** Of all projects, not only of this one. */
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Asks a person, who is shown the runs. Absent: no user can be asked. */
  readonly confirm?: (runs: readonly RunSummary[]) => Promise<boolean>;
  readonly chosen?: (runs: readonly RunSummary[]) => void;
}

export interface PruneAnswer extends Head {
  readonly removed: readonly string[];
  /** Of those that were looked at, how many are still there. */
  readonly kept: number;
  readonly dry_run: boolean;
}

export const pruneRuns = (session: Session, request: PruneRequest): Promise<PruneAnswer> =>
  orRefused(session, { removed: [], kept: 0, dry_run: request.dryRun === true }, () =>
    withStore(session, (store) => prune(store, session, request)),
  );

async function prune(store: RunStore, session: Session, request: PruneRequest): Promise<PruneAnswer> {
  const { reader = COMMAND_LINE } = session;
  const { dryRun = false, yes = false, confirm } = request;
  if (!dryRun && !yes && !confirm)
    throw refusal("runs are removed for good, and there is no terminal to ask on. Nothing was removed", {
      hint: `Look first with ${reader.give({ what: "option", name: "dry-run" })}; to remove without being asked, give ${reader.give({ what: "option", name: "yes" })}.`,
    });
  const folder = request.all ? undefined : projectFolder(session.cwd);
  const looked = (await store.runs({ withEvals: true })).filter(
    (run) => folder === undefined || isRunBelow(run, folder),
  );
  const old = (await oldBy(store, ruleOf(request)))(looked);
  const chosen = old.map((run) => summaryOf(run, session));
  request.chosen?.(chosen);
  const ids = old.map(({ runId }) => runId);
  const answer = (removed: readonly string[], left: readonly Entry[] = [], warnings: readonly Entry[] = []) => ({
    ...head(left.length === 0 ? 0 : 1, left, warnings),
    removed,
    kept: looked.length - removed.length,
    dry_run: dryRun,
  });
  if (dryRun) return answer(ids);
  if (!yes && ids.length > 0 && !(await confirm?.(chosen))) return answer([]);
  const left: Entry[] = [];
  const settled = new Set<string>();
  const removed = await removeAll(store, ids, (runId, message) => {
    settled.add(runId);
    left.push(plainEntry({ message: `the run ${runId} could not be removed: ${message}`, owner: "environment" }));
  });
  for (const runId of removed) settled.add(runId);
  const busy = ids.filter((runId) => !settled.has(runId));
  await forgetSecretsOfAll(store, () => {});
  await removeEvalsWithout(store, { home: homeOf(session), removed, resumable: request.resumable ?? false });
  // Where an agent's run was killed and not resumed.
  await removeWhatAgentsLeft();
  return answer(removed, left, busy.length > 0 ? [inUse(busy)] : []);
}

/** They had ended when they were chosen: their drivers have not let go of them, or a resume has begun since. */
function inUse(runs: readonly string[]): Entry {
  const [were, them] =
    runs.length === 1 ? [`The run ${runs[0]} was`, "it"] : [`The runs ${runs.join(", ")} were`, "them"];
  return plainEntry({ message: `${were} kept: a process still has ${them} open. Prune again when it has ended.` });
}

function ruleOf({ olderThan, keep, status, workflow, resumable }: PruneRequest): PruneRule {
  const seconds = olderThan === undefined ? undefined : parseDuration(olderThan);
  if (olderThan !== undefined && seconds === undefined)
    throw refusal(`${JSON.stringify(olderThan)} is no age; write 30d, 12h or 90m`);
  const kept = keep ?? (olderThan === undefined ? KEPT_RUNS : undefined);
  return { olderThanMs: milliseconds(seconds), keep: kept, status, workflow, resumable };
}

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

/** So many are read at a time: of a million, most stay where they are. */
const AT_A_TIME = 5000;

/** The same a part at a time, while some are removed: those that began before a time, or all. */
async function* runsBefore(store: RunStore, folder: string, time: number | undefined) {
  let before = time === undefined ? undefined : newRunId(Math.max(0, time));
  for (;;) {
    const page = await store.runs({ limit: AT_A_TIME, before, withEvals: true });
    yield page.filter((run) => isRunBelow(run, folder));
    // One that cannot be read is left out: only an empty page is the last.
    before = page.at(-1)?.runId;
    if (before === undefined) return;
  }
}

/**
 * The same of each file by itself, without the newest `keep` of each workflow: most of a million are not read. Which is
 * the last to be kept is asked once: what is removed meanwhile is older.
 */
async function* runsBeyond(
  store: RunStore,
  byFile: RunsByFile,
  folder: string,
  { keep, time }: { readonly keep: number; readonly time: number | undefined },
) {
  const then = time === undefined ? undefined : newRunId(Math.max(0, time));
  for (const file of (await byFile.files()).filter((one) => isRunBelow({ file: one }, folder))) {
    // Whatever workflow they are of, all newer ones are among the newest of theirs.
    const kept = await byFile.nthNewest(keep, file);
    let before = then === undefined || (kept !== undefined && kept < then) ? kept : then;
    const lastKept = new Map<string, string | undefined>();
    while (kept !== undefined && before !== undefined) {
      const page = await store.runs({ file, limit: AT_A_TIME, before, withEvals: true });
      for (const workflow of new Set(page.map((run) => run.workflow)))
        if (!lastKept.has(workflow)) lastKept.set(workflow, await byFile.nthNewest(keep, file, workflow));
      yield page.filter(({ workflow, runId }) => runId < (lastKept.get(workflow) ?? ""));
      before = page.at(-1)?.runId;
    }
  }
}

/** Gives, of runs newest first, and of those that are asked about next, those that are old by the rule. */
async function oldBy(store: RunStore, rule: PruneRule): Promise<(runs: readonly StoredRun[]) => readonly StoredRun[]> {
  const { olderThanMs, keep = 0, status, workflow, resumable = false } = rule;
  const letters = await store.state.letters.unsettled();
  const lettered = new Set(letters.map(({ runId }) => runId));
  const before = olderThanMs === undefined ? Number.POSITIVE_INFINITY : nowOf(store) - olderThanMs;
  const seen = new Map<string, number>();
  const isOld = (run: StoredRun): boolean => {
    // As lists call it.
    if (status !== undefined && (run.crashed ? "crashed" : run.status) !== status) return false;
    if (workflow !== undefined && run.workflow !== workflow) return false;
    const flow = `${run.file}\0${run.workflow}`;
    const rank = (seen.get(flow) ?? 0) + 1;
    seen.set(flow, rank);
    if (rank <= keep || Date.parse(run.ended ?? run.started) >= before || isBusy(run)) return false;
    return resumable || !(run.resumable || run.crashed || run.status === "paused" || lettered.has(run.runId));
  };
  return (runs) => runs.filter(isOld);
}

/** A process drives it, or will: such a run is never removed. */
const isBusy = ({ status, crashed, waits }: StoredRun): boolean =>
  waits !== undefined || status === "queued" || (status === "running" && !crashed);

/** With their letters: what they are about is gone. */
async function removeAll(
  store: RunStore,
  ids: readonly string[],
  failed: (runId: string, message: string) => void,
): Promise<readonly string[]> {
  const removed = await store.removeRuns(ids, failed);
  const gone = new Set(removed);
  const open = (await store.state.letters.unsettled()).filter(({ runId }) => gone.has(runId));
  if (open.length > 0)
    await store.state.letters.setStatus(
      open.map(({ id }) => id),
      "dropped",
    );
  return removed;
}

/** `retention:` of `segno.yaml`, in seconds. */
export interface Retention {
  readonly older_than?: number;
  readonly keep?: number;
  /** Of runs that can be resumed, wait for an answer, or have open letters; they stay for ever when left out. */
  readonly resumable?: number;
}

/** Removes the runs of files below the folder that are too old. Gives their ids. */
export async function pruneByRetention(
  store: RunStore,
  folder: string,
  { older_than, keep, resumable }: Retention,
  failed: (runId: string, message: string) => void,
): Promise<readonly string[]> {
  const rules: PruneRule[] = [
    ...(older_than === undefined && keep === undefined ? [] : [{ keep, olderThanMs: milliseconds(older_than) }]),
    ...(resumable === undefined ? [] : [{ keep, olderThanMs: milliseconds(resumable), resumable: true }]),
  ];
  const removed: string[] = [];
  for (const { keep: most = 0, ...rule } of rules) {
    // Of one that began later, the end is later too.
    const since = rule.olderThanMs === undefined ? undefined : nowOf(store) - rule.olderThanMs;
    const { byFile } = most > 0 ? store : {};
    const isCounted = most === 0 || byFile !== undefined;
    const oldOf = await oldBy(store, isCounted ? rule : { ...rule, keep: most });
    // To count the newest where files cannot be asked for, all are gone through.
    const pages = byFile
      ? runsBeyond(store, byFile, folder, { keep: most, time: since })
      : runsBefore(store, folder, isCounted ? since : undefined);
    for await (const runs of pages) {
      const ids = oldOf(runs).map(({ runId }) => runId);
      if (ids.length > 0) removed.push(...(await removeAll(store, ids, failed)));
    }
  }
  return removed;
}
