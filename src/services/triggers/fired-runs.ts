// Runs of firings: who drives them depends on the store. In a home this process does; on a fleet they are placed, and
// whichever worker is free drives them.
import type { Firing, Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Project } from "../project/read-project.ts";
import type { RunOrigin, RunRequest } from "../request.ts";
import type { BackgroundRuns } from "../runs/background.ts";
import { BY_TRIGGER } from "../runs/read-run.ts";
import type { Session } from "../session/session.ts";
import { concealing } from "./concealed.ts";
import { asGivenInputs } from "./fire.ts";
import type { KnownTrigger } from "./known-trigger.ts";

export interface FiredRuns {
  /** Whether the run of a firing is driven here. */
  has(runId: string): boolean;
  /** Starts, or goes on with, the run of a firing that this process has claimed. */
  start(firing: Firing, trigger: KnownTrigger): Promise<void>;
  /** Of a firing whose run is placed: settles it when the run has ended. False while it goes on. */
  settleIfOver(firing: Firing): Promise<boolean>;
  /** Ends the run of a firing that is over already. */
  cancel(runId: string): Promise<void>;
  /** Resolves when nothing that was started here goes on. */
  idle(): Promise<void>;
  /** Whatever goes on here is let go: another server goes on with it, or the next. */
  close(): Promise<void>;
}

export interface FiringGround {
  readonly store: RunStore;
  readonly firings: Firings;
  readonly project: Project;
  readonly session: Session;
  /** Where runs go on while the driver looks for more. */
  readonly runs: BackgroundRuns;
  /** A file that was just checked. */
  readonly checked: (file: string) => LoadedWorkflow | undefined;
  /** Called with a sentence about each firing that made no run. */
  readonly said?: (sentence: string) => void;
}

/** Where the run of a firing is started. */
export const sessionOfFirings = ({ session, project }: Pick<FiringGround, "session" | "project">): Session => ({
  ...session,
  cwd: project.dir,
  project: { ...session.project, people: project.settings },
});

/** What the run of a firing is started with. */
export const runRequestOf = (
  { runId, body, group }: Firing,
  trigger: KnownTrigger,
): RunRequest & { readonly runId: string } => ({
  file: trigger.file,
  inputs: asGivenInputs((body.inputs ?? {}) as Readonly<Record<string, unknown>>),
  runId,
  queue: { key: group?.key, priority: trigger.priority },
  origin: { startedBy: `${BY_TRIGGER}${trigger.name}`, ...firedBy(body) },
});

/** The people that a firing is recorded with. */
function firedBy({ cause }: Firing["body"]): RunOrigin {
  const { person, changed_by } = (cause ?? {}) as { readonly person?: unknown; readonly changed_by?: unknown };
  return {
    ...(typeof person === "string" ? { firedBy: person } : {}),
    ...(Array.isArray(changed_by) ? { changedBy: changed_by.filter((one) => typeof one === "string") } : {}),
  };
}

/** A firing that cannot make a run is over, and is reported. */
export async function settleFailed(
  { firings, said, session }: FiringGround,
  runId: string,
  problem: string,
  trigger: KnownTrigger,
): Promise<void> {
  const reason = concealing(trigger, session.env).text(problem);
  await firings.settle(runId, "failed", reason);
  said?.(noRunText(trigger.name, reason));
}

export const noRunText = (name: string, reason: string): string => `The trigger ${name} started no run: ${reason}`;
