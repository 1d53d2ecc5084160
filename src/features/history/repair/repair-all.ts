// `segno repair --all KIND`: every open run that failed with a kind. Runs that failed in the same step of the same file share one
// proposal: it is proved on all of them, and written once. With `resume` each run that gets past its failure goes on.

import { plainEntry } from "../../../base/results/entry.ts";
import { COMMAND_LINE, type Head, head, type ResultStatus } from "../../../base/results/index.ts";
import { kindPattern } from "../../../services/dead-letters/select.ts";
import { orRefused, Refused, refusal } from "../../../services/refusals.ts";
import type { DriveListeners } from "../../../services/request.ts";
import { resumeRun } from "../../../services/runs/resume.ts";
import { shownPath } from "../../../services/session/files.ts";
import { projectFolder } from "../../../services/session/find-project.ts";
import type { Session } from "../../../services/session/session.ts";
import { canBeResumed, isRunBelow, withStore } from "../../../services/session/store.ts";
import { validWorkflow } from "../../../services/workflows/valid-workflow.ts";
import type { RunStore, StoredRun } from "../../../storage/store.ts";
import { verdictsOn } from "../backtest.ts";
import { isPastFailure } from "../proof.ts";
import { type FailingStep, findFailing } from "./failing.ts";
import { type RepairAnswer, type RepairRequest, repairRun } from "./repair.ts";

export interface RepairAllRequest extends Omit<RepairRequest, "run" | "others"> {
  /** A kind, or a pattern with `*`. */
  readonly kind: string;
  /** Without it the runs are only listed: no model is asked, nothing is written. */
  readonly resume?: boolean;
  /** Called with the runs before anything is done, and with each run once it is known what became of it. */
  readonly onRuns?: (runs: readonly RunOfKind[]) => void;
  readonly onRun?: (run: RunOfKind) => void;
}

export interface RunOfKind {
  readonly run_id: string;
  readonly file: string;
  /** The step that a change would be made to; null: the workflow's own `output`, or it is not known. */
  readonly node_id: string | null;
  readonly kind: string | null;
  /** `open`: nothing was done to it. */
  readonly outcome: "open" | "resumed" | "not_resumed";
  /** Its status now. */
  readonly status: ResultStatus;
  /** Why it cannot be repaired, was not resumed, or failed again. */
  readonly reason: string | null;
}

export interface RepairAllAnswer extends Head {
  readonly runs: readonly RunOfKind[];
  /** One for each step that failed: the run it was tried on, and what was proposed. */
  readonly repairs: readonly (NonNullable<RepairAnswer["repair"]> & { readonly run_id: string })[];
}

export const repairAll = (
  session: Session,
  request: RepairAllRequest,
  listeners: DriveListeners = {},
): Promise<RepairAllAnswer> =>
  orRefused(session, { runs: [], repairs: [] }, () =>
    withStore(session, (store) => repaired(store, session, request, listeners)),
  );

async function repaired(
  store: RunStore,
  session: Session,
  request: RepairAllRequest,
  listeners: DriveListeners,
): Promise<RepairAllAnswer> {
  const { reader = COMMAND_LINE } = session;
  const { resume = false, yes } = request;
  if (resume && !yes && !listeners.ask)
    throw refusal("no one can be asked whether to write the change: this is not a terminal. Nothing was changed", {
      hint: `${reader.give({ what: "option", name: "yes" })} allows changes of templates of the failing step without asking.`,
    });
  const { failed, kinds } = await failedRuns(store, session, request);
  const { groups, others } = await groupsOf(failed, session);
  const all = [...groups.flat().map(({ shown }) => shown), ...others];
  request.onRuns?.(all);
  if (!resume || failed.length === 0)
    return { ...head(0, [], noneOf(request.kind, failed, kinds)), runs: all, repairs: [] };
  const repairs: RepairAllAnswer["repairs"][number][] = [];
  const runs: RunOfKind[] = [];
  const done = (run: RunOfKind): void => {
    runs.push(run);
    request.onRun?.(run);
  };
  for (const group of groups)
    await repairGroup(store, group, { session, request, listeners, done, repaired: (one) => repairs.push(one) });
  for (const run of others) done({ ...run, outcome: "not_resumed" });
  const isWell = runs.every(
    ({ outcome, status }) => outcome === "resumed" && status !== "failed" && status !== "invalid",
  );
  const start = head(listeners.signal?.aborted ? 130 : isWell ? 0 : 1);
  const left = runs.filter(({ outcome, status }) => outcome !== "resumed" || status === "failed").length;
  return { ...start, error: left === 0 ? null : `${left} of ${runs.length} runs are still failed`, runs, repairs };
}

/** Of files below the project: other projects share the store. Newest first, with the kinds of all that failed. */
async function failedRuns(
  store: RunStore,
  { cwd }: Session,
  { kind }: RepairAllRequest,
): Promise<{ readonly failed: readonly StoredRun[]; readonly kinds: readonly string[] }> {
  const folder = projectFolder(cwd);
  const isMeant = kindPattern(kind);
  const open = (await store.runs({ status: "failed" })).filter((run) => isRunBelow(run, folder) && canBeResumed(run));
  return {
    failed: open.filter(({ failingKind }) => failingKind !== null && isMeant(failingKind)),
    kinds: [...new Set(open.flatMap(({ failingKind }) => failingKind ?? []))].sort(),
  };
}

const noneOf = (kind: string, failed: readonly StoredRun[], kinds: readonly string[]) =>
  failed.length > 0
    ? []
    : [
        plainEntry({
          message: `no open run of this project failed with ${kind}${kinds.length > 0 ? `; there are open runs that failed with ${kinds.join(", ")}` : ""}`,
        }),
      ];

interface Member {
  readonly failing: FailingStep;
  readonly shown: RunOfKind;
}

/** The newest first: the proposal is made for it. */
type Group = readonly [Member, ...Member[]];

/** By file, step and kind; and those that no change of a file helps, each with the reason. */
async function groupsOf(
  failed: readonly StoredRun[],
  session: Session,
): Promise<{ readonly groups: readonly Group[]; readonly others: readonly RunOfKind[] }> {
  const groups = new Map<string, [Member, ...Member[]]>();
  const others: RunOfKind[] = [];
  for (const { runId, file, failingKind, status } of failed) {
    const shown = {
      run_id: runId,
      file: shownPath(file, session.cwd),
      node_id: null,
      kind: failingKind,
      status,
      outcome: "open" as const,
      reason: null,
    };
    const failing = await findFailing(runId, session).catch((problem: unknown) => {
      if (!(problem instanceof Refused)) throw problem;
      return problem.result.error ?? "it cannot be repaired";
    });
    if (typeof failing === "string") others.push({ ...shown, reason: failing });
    else if (!failing.isRehearsal) {
      const key = JSON.stringify([failing.root.file, failing.workflow.file, failing.node, failingKind]);
      const member = { failing, shown: { ...shown, node_id: failing.node } };
      const group = groups.get(key);
      if (group) group.push(member);
      else groups.set(key, [member]);
    }
  }
  return { groups: [...groups.values()], others };
}

interface Doing {
  readonly session: Session;
  readonly request: RepairAllRequest;
  readonly listeners: DriveListeners;
  readonly done: (run: RunOfKind) => void;
  readonly repaired: (repair: RepairAllAnswer["repairs"][number]) => void;
}

async function repairGroup(
  store: RunStore,
  [first, ...rest]: Group,
  { session, request, listeners, done, repaired: note }: Doing,
): Promise<void> {
  const { runId } = first.failing;
  const others = rest.map(({ shown }) => shown.run_id);
  const answer = await repairRun(session, { ...request, run: runId, others }, listeners);
  const { repair } = answer;
  if (repair) note({ run_id: runId, ...repair });
  const reason = repair ? repair.reason : answer.error;
  // A change that did not help was taken back, with its backup.
  const isWritten = (repair?.backups.length ?? 0) > 0;
  done({ ...first.shown, outcome: isWritten ? "resumed" : "not_resumed", status: answer.status, reason });
  if (!isWritten) {
    for (const { shown } of rest)
      done({ ...shown, outcome: "not_resumed", reason: `not repaired, as ${runId}: ${reason}` });
    return;
  }
  const workflow = validWorkflow(first.failing.root.file, session);
  for (const { shown } of rest) {
    if (listeners.signal?.aborted) {
      done({ ...shown, reason: "it was stopped" });
      continue;
    }
    const [verdict] = await verdictsOn(store, [shown.run_id], { workflow, session });
    if (verdict && isPastFailure(verdict)) {
      const result = await resumeRun(session, { target: shown.run_id, inputs: {} }, listeners);
      done({ ...shown, outcome: "resumed", status: result.status, reason: result.error });
    } else {
      const now = verdict?.now ?? "it did";
      done({ ...shown, outcome: "not_resumed", reason: `with the change it would still have ended as ${now}` });
    }
  }
}
