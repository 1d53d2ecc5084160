// What is known of a change before it is written: whether it handles what was handled, passes every scenario, gets past the
// failure it was made for, and leaves past runs as they were. Each line can be checked again by the command beside it.
import { dirname, relative } from "node:path";
import { familySources, type LoadedWorkflow } from "../../language/loaded.ts";
import { shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { withStore } from "../../services/session/store.ts";
import { shownErrorFlow } from "../../services/workflows/describe.ts";
import type { RunStore } from "../../storage/store.ts";
import { scenariosOf } from "../scenarios/file.ts";
import { runScenario } from "../scenarios/run-scenario.ts";
import { verdictsOn } from "./backtest.ts";
import { pastRuns } from "./recording.ts";
import type { RunVerdict } from "./verdict.ts";

export interface ProofLine {
  readonly check: "file" | "errors" | "failure" | "scenarios" | "backtest";
  readonly holds: boolean;
  readonly said: string;
  /** Checks it again, once the change is written. */
  readonly command: string;
}

export interface Proof {
  readonly holds: boolean;
  readonly lines: readonly ProofLine[];
}

export interface Changed {
  readonly runId: string;
  /** Other runs that failed so, and are to go on with the change. */
  readonly others: readonly string[];
  /** The root's file, as it is and as it would be. */
  readonly before: LoadedWorkflow;
  readonly after: LoadedWorkflow;
}

/** So many of the newest runs are played. */
const RUNS = 100;

export const prove = (changed: Changed, session: Session): Promise<Proof> =>
  withStore(session, async (store) => {
    const lines = [
      fileLine(changed, session),
      errorsLine(changed, session),
      await failureLine(store, changed, session),
      await scenariosLine(changed, session),
      await backtestLine(store, changed, session),
    ];
    return { holds: lines.every(({ holds }) => holds), lines };
  });

/** What is not valid is no workflow that could be proved. */
const fileLine = ({ after }: Changed, { cwd }: Session): ProofLine => ({
  check: "file",
  holds: true,
  said: "it is valid",
  command: `segno validate ${shownPath(after.file, cwd)}`,
});

function errorsLine({ before, after }: Changed, { cwd }: Session): ProofLine {
  const leaving = (workflow: LoadedWorkflow): readonly string[] =>
    shownErrorFlow(workflow, cwd).unhandled.map(({ kind, node_id }) => `${kind} of ${node_id}`);
  const known = new Set(leaving(before));
  const added = leaving(after).filter((one) => !known.has(one));
  return {
    check: "errors",
    holds: added.length === 0,
    said: added.length === 0 ? "no error is newly unhandled" : `newly unhandled: ${added.join(", ")}`,
    command: `segno errors ${shownPath(after.file, cwd)}`,
  };
}

/** That the step after the failure is reached is all that can be known. Of several runs the first has to get so far. */
async function failureLine(store: RunStore, { runId, others, after }: Changed, session: Session): Promise<ProofLine> {
  const verdicts = await verdictsOn(store, [runId, ...others], { workflow: after, session });
  const verdict = verdicts.find(({ run_id }) => run_id === runId);
  const stuck = verdicts.filter((one) => one !== verdict && !isPastFailure(one)).map(({ run_id }) => run_id);
  const also =
    others.length === 0
      ? ""
      : `; so do ${others.length - stuck.length} of ${others.length} other runs with this failure${stuck.length > 0 ? `, but not ${stuck.join(", ")}` : ""}`;
  return {
    check: "failure",
    holds: verdict !== undefined && isPastFailure(verdict),
    said: `${failureSaid(runId, verdict)}${also}`,
    command: `segno backtest ${shownPath(after.file, session.cwd)} ${[runId, ...others].join(" ")}`,
  };
}

/** Also one that cannot be played: nothing speaks against it. */
export const isPastFailure = ({ verdict, short = false }: Pick<RunVerdict, "verdict" | "short">): boolean =>
  verdict === "better" || verdict === "rerouted" || (verdict === "unknown" && !short);

function failureSaid(runId: string, verdict: RunVerdict | undefined): string {
  switch (verdict?.verdict) {
    case "better":
      return `run ${runId} would have ended as ${verdict.now}`;
    case "rerouted":
      return `run ${runId} gets past its failure, and then ends as ${verdict.now}`;
    case "unknown":
      if (verdict.step === null) return `run ${runId} cannot be played: ${verdict.why}`;
      return verdict.short
        ? `run ${runId} does not come as far as its failure: from ${verdict.step} on nothing is recorded`
        : `run ${runId} gets past its failure; from ${verdict.step} on nothing is recorded`;
    default:
      return `run ${runId} would still have ended as ${verdict?.now ?? "it did"}`;
  }
}

async function scenariosLine({ after }: Changed, session: Session): Promise<ProofLine> {
  const folder = dirname(after.file);
  const files = scenariosOf(after.file, session.cwd);
  const failed: string[] = [];
  const checked = new Map([[after.file, after]]);
  // A scenario with `set` or `until` reads the file once more.
  const proposed = familySources(after);
  for (const file of files) {
    const { report } = await runScenario(file, session, { checked, proposed });
    if (!report.passed) failed.push(report.name);
  }
  return {
    check: "scenarios",
    holds: failed.length === 0,
    said:
      files.length === 0
        ? "there are no scenarios of this file"
        : failed.length === 0
          ? `${files.length} of ${files.length} scenarios pass`
          : `${failed.length} of ${files.length} scenarios fail: ${failed.join(", ")}`,
    command: `segno test ${relative(session.cwd, folder) || "."}`,
  };
}

/** Runs that failed as it did say no more than it does: they get past the failure, and nothing is recorded after it. */
async function backtestLine(store: RunStore, { runId, after }: Changed, session: Session): Promise<ProofLine> {
  const { cwd } = session;
  const rows = await pastRuns(store, { cwd, file: after.file, limit: RUNS });
  const others = rows.filter((run) => run.runId !== runId && run.status !== "running").map((run) => run.runId);
  const played = await verdictsOn(store, [runId, ...others], { workflow: after, session });
  const own = played.find(({ run_id }) => run_id === runId);
  const verdicts = played.filter((verdict) => verdict !== own);
  const alike = verdicts.filter(
    (verdict) =>
      verdict.verdict === "unknown" && isPastFailure(verdict) && verdict.was === own?.was && verdict.step === own.step,
  ).length;
  const count = (...names: readonly string[]): number =>
    verdicts.filter(({ verdict }) => names.includes(verdict)).length;
  const [fine, worse] = [count("same", "better"), count("worse")];
  return {
    check: "backtest",
    holds: worse === 0 && (fine > 0 || alike === verdicts.length),
    said:
      verdicts.length === 0
        ? "there are no other runs of this file"
        : `of ${verdicts.length} other runs ${count("same")} are the same, ${count("better")} better, ${worse} worse, ${count("unknown")} unknown${alike > 0 ? `, ${alike} of them past the same failure` : ""}`,
    command: `segno backtest ${shownPath(after.file, cwd)}`,
  };
}

/** For a pull request. */
export const proofMarkdown = (lines: readonly ProofLine[]): string =>
  [
    "| check | | what was seen | again |",
    "|---|---|---|---|",
    ...lines.map(
      ({ check, holds, said, command }) => `| ${check} | ${holds ? "✓" : "✗"} | ${cell(said)} | \`${cell(command)}\` |`,
    ),
    "",
  ].join("\n");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
