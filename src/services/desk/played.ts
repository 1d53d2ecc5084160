// Which steps the scenarios of a workflow take. They are played offline, every answer scripted: no process, no network, and no
// code of a project, so that an editor may do it for a folder that is not trusted. One that is live does not count.
import { visitsOf } from "../../events/visits/visit-fold.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { hasPolicyModule } from "../governance/needed.ts";
import { Coverage, type FileCoverage } from "../scenarios/coverage.ts";
import { runScenario } from "../scenarios/run-scenario.ts";
import type { Session } from "../session/session.ts";

export interface Played {
  readonly scenarios: number;
  /** By step: how many scenarios take it. */
  readonly taken: ReadonlyMap<string, number>;
  readonly coverage: FileCoverage | undefined;
}

/** `workflow` has no errors; `files` are its scenarios, `open` texts that are not saved. Others get a turn between two of them. */
export async function playScenarios(
  workflow: LoadedWorkflow,
  files: readonly string[],
  session: Session,
  open: ReadonlyMap<string, string> = new Map(),
): Promise<Played | undefined> {
  if (hasPolicyModule(workflow)) return undefined;
  const { overlay: _, extensions: __, ...rest } = session;
  const taken = new Map<string, number>();
  let scenarios = 0;
  const coverage = new Coverage();
  coverage.add(workflow, []);
  for (const file of files) {
    const checked = new Map([[workflow.file, workflow]]);
    const {
      events,
      report: { skipped },
      workflow: played,
    } = await runScenario(file, rest, { offline: true, checked, proposed: open });
    if (skipped === undefined) scenarios += 1;
    if (played) coverage.add(workflow, events);
    const own = visitsOf(events).filter(
      ({ path, attempts }) => path.length === 0 && attempts.some(({ began }) => began),
    );
    for (const node of new Set(own.map((visit) => visit.node))) taken.set(node, (taken.get(node) ?? 0) + 1);
    await new Promise((done) => setImmediate(done));
  }
  return { scenarios, taken, coverage: coverage.report(session.cwd).files[0] };
}
