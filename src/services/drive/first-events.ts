// The events that begin a drive: `workflow_started` for the first, `run_resumed` for every further one.
import { hostname } from "node:os";
import type { EventData } from "../../base/events/registry.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { outlineOf } from "../../engine/children/outline.ts";
import { fileDigest } from "../../engine/visit/hash.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { SEMANTICS } from "../../language/schema/semantics.ts";
import { PLATFORM } from "../../steps/process/platform.ts";
import type { DriveLeaving } from "../../storage/fleet.ts";
import type { Rerun, RunOrigin } from "../request.ts";
import { version } from "../session/home.ts";
import type { SplitInputs } from "../session/run-secrets.ts";

export function workflowStarted(
  workflow: LoadedWorkflow,
  { journal, names }: Pick<SplitInputs, "journal" | "names">,
  asked: {
    readonly durability: string;
    readonly cwd: string;
    readonly provider?: string;
    readonly scenario?: string;
    readonly strict?: boolean;
    readonly origin: RunOrigin;
    readonly runName?: string;
  },
): EventData<"workflow_started"> {
  const { definition, file } = workflow;
  const { name, entry_point, version: ofFile, metadata } = definition.workflow;
  const { durability, provider, cwd, scenario, strict } = asked;
  const { startedBy, firedBy, changedBy, evalId } = asked.origin;
  const nodes = [...definition.agents, ...definition.parallel, ...definition.for_each];
  return {
    name,
    file,
    entry_point,
    version: ofFile,
    outline: outlineOf(workflow),
    inputs: journal,
    hidden_inputs: [...names],
    metadata,
    routes: nodes.flatMap((node) =>
      ("routes" in node ? node.routes : []).map((route) => ({
        from: node.name,
        to: route.to ?? (route.retry ? node.name : route.halt ? "halt" : "parent"),
        ...(route.when === undefined ? {} : { when: route.when }),
        ...(route.on_error === undefined ? {} : { on_error: route.on_error }),
      })),
    ),
    durability,
    provider,
    definition_hash: fileDigest(workflow),
    semantics: SEMANTICS,
    run_name: asked.runName,
    eval_id: evalId,
    started_by: startedBy,
    fired_by: firedBy,
    changed_by: changedBy && [...changedBy],
    system: systemOf(cwd, scenario, strict),
  };
}

/** `strict`: of the scenario, as the command said; a further drive is as lenient as the first. */
const systemOf = (cwd: string, scenario?: string, strict?: boolean): Record<string, unknown> => ({
  ...(scenario === undefined ? {} : { scenario, ...(strict === undefined ? {} : { strict }) }),
  pid: process.pid,
  host: hostname(),
  platform: PLATFORM,
  node_version: process.version,
  segno_version: version(),
  cwd,
});

export interface Resuming {
  readonly state: RunState;
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly split: Pick<SplitInputs, "journal" | "names">;
  readonly before: Readonly<Record<string, unknown>>;
  readonly provider?: string;
  readonly cwd: string;
  readonly rerun?: Rerun;
  readonly maxIterations?: number;
  readonly maxVisits?: number;
  readonly reopens: boolean;
  readonly by?: string;
  readonly answers?: boolean;
  /** On a fleet: the drive before was left because of this, and was not lost. */
  readonly goesOn?: DriveLeaving;
}

export function runResumed(resuming: Resuming): EventData<"run_resumed"> {
  const { state, workflow, inputs, before, provider, maxIterations, maxVisits } = resuming;
  const { from, force, changedFiles } = resuming.rerun ?? {};
  const digest = fileDigest(workflow);
  const after = resuming.goesOn ?? (state.status === "running" ? "crashed" : state.status);
  const names = new Set([...Object.keys(inputs), ...Object.keys(before)]);
  return {
    drive: state.drives + 1,
    outline: outlineOf(workflow),
    definition_hash: digest,
    file_changed: digest !== state.definitionHash,
    inputs_changed: [...names].filter((name) => JSON.stringify(inputs[name]) !== JSON.stringify(before[name])),
    inputs: resuming.split.journal,
    hidden_inputs: [...resuming.split.names],
    from,
    force: force || undefined,
    changed_files: changedFiles || undefined,
    max_iterations: maxIterations,
    max_visits: maxVisits,
    provider,
    after,
    reason: reasonOf(resuming, after),
    by: resuming.by,
    answers: resuming.answers || undefined,
    system: systemOf(resuming.cwd),
  };
}

/** Instead of it, where no drive begins. */
export const itemsRetried = (
  items: Iterable<string>,
  { by, system }: EventData<"run_resumed">,
): EventData<"items_retried"> => ({ items: [...items], by, system });

function reasonOf({ reopens, goesOn, rerun: { from, force } = {} }: Resuming, after: string): string {
  if (goesOn !== undefined) return goesOn === "waiting" ? "its time has come" : "its worker left";
  if (reopens) return "dead letters are tried again";
  if (force) return "everything runs again";
  if (from) return `from ${from} on everything runs again`;
  return `after it ${after === "crashed" ? "was cut off" : `was ${after}`}`;
}
