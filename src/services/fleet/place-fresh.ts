// `segno run --on`: what would be driven here is placed for a worker, and followed.
import { sourcesDigest } from "../../engine/visit/hash.ts";
import { initialState } from "../../events/state/fold.ts";
import type { CellWish, Fleet, QueueLane } from "../../hosts/fleet.ts";
import type { RunStore } from "../../hosts/store.ts";
import { familySources, type LoadedWorkflow } from "../../language/loaded.ts";
import type { Result } from "../../results/result.ts";
import { compile, TemplateError } from "../../template/index.ts";
import { requireLoadable } from "../defined/with-definition.ts";
import { prepareRun } from "../drive/prepare.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { refusal } from "../refusals.ts";
import type { DriveListeners, RunRequest } from "../request.ts";
import { resultOfRun } from "../runs/report.ts";
import { childTakesSecrets } from "../secrets/secret-inputs.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { firstDrive } from "./fleet-request.ts";
import { followOnFleet } from "./follow.ts";
import { placedResult } from "./queued-run.ts";

interface Placed {
  readonly runId: string;
  readonly setup: DriveSetup;
  readonly request: RunRequest;
  /** Its firing is in the store, claimed by this process. */
  readonly isOfFiring?: boolean;
}

/** The run of a firing, which no process follows. */
export async function placeFired(
  store: RunStore,
  fleet: Fleet,
  session: Session,
  request: RunRequest & { readonly runId: string },
  checked?: LoadedWorkflow,
): Promise<Result> {
  const { runId } = request;
  const setup = await prepareRun(session, { ...request, ...(checked ? { checked } : {}) });
  try {
    return await placeFresh(store, fleet, { runId, setup, request, isOfFiring: true }, { detach: true });
  } finally {
    await setup.close();
  }
}

/** Runs of one key stand in one line, whichever trigger made them; others in that of their workflow. */
const laneOf = ({ queue }: RunRequest, { definition: { workflow } }: LoadedWorkflow): QueueLane => ({
  key: queue?.key ?? workflow.name,
  priority: queue?.priority ?? workflow.runtime.priority ?? "normal",
});

/** What the file says of the inputs; runs of one key are together, since a limit counts within a cell. */
function cellOf({ queue, runId }: RunRequest, { workflow, inputs }: DriveSetup): CellWish {
  const name = cellOfWorkflow(workflow, inputs);
  return {
    ...(name === undefined ? {} : { name }),
    ...(queue?.key === undefined ? {} : { key: queue.key }),
    isKnownBefore: runId !== undefined,
  };
}

/** The cell that the file says for these inputs; nothing where it leaves that open. */
export function cellOfWorkflow({ definition }: LoadedWorkflow, inputs: DriveSetup["inputs"]): string | undefined {
  const { cell } = definition.workflow.runtime;
  return (cell === undefined ? "" : rendered(cell, inputs).trim()) || undefined;
}

function rendered(cell: string, inputs: DriveSetup["inputs"]): string {
  try {
    return compile(cell).render({ workflow: { input: inputs } });
  } catch (problem) {
    if (!(problem instanceof TemplateError)) throw problem;
    throw refusal(`\`runtime.cell\` cannot be rendered: ${problem.message}. It sees \`workflow.input\` alone`);
  }
}

export async function placeFresh(
  store: RunStore,
  fleet: Fleet,
  { runId, setup, request, isOfFiring = false }: Placed,
  listeners: DriveListeners,
): Promise<Result> {
  const { session, workflow, durability, split, redactor, scenario } = setup;
  requireLoadable(workflow);
  const name = redactor.text(workflow.definition.workflow.name);
  const sources = familySources(workflow);
  await fleet.begin(
    { runId, workflow: name, file: workflow.file, durability },
    {
      request: firstDrive(
        session,
        { ...request, provider: setup.provider || request.provider, origin: setup.origin, durability },
        workflow.file,
        split,
        // A worker that knows nothing of scenarios finds other files than these, and refuses the run.
        { drive: 1, digest: sourcesDigest(new Map([...sources, ...(scenario?.texts ?? [])])) },
        scenario?.file,
      ),
      pins: { drive: 1, sources },
      ...(scenario ? { scenario: scenario.texts } : {}),
      secrets: split.secrets,
      holdsSecrets: childTakesSecrets(workflow),
      isOfFiring,
      lane: laneOf(request, workflow),
      cell: cellOf(request, setup),
    },
  );
  if (!listeners.detach)
    return followOnFleet(store, { session, fleet, runId, redactor, workflow, after: 0 }, listeners);
  const { folder } = fleet.filesOf(runId);
  const result = resultOfRun(initialState(runId), { ...session, folder, redactor, workflow });
  return placedResult({ ...result, workflow: name, file: shownPath(workflow.file, session.cwd) });
}
