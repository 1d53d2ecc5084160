// Which steps the scenarios of a workflow take. They are played with every answer scripted: no process, no network, and
// no code of a project, so that an editor may do it for a file that is not trusted yet.
import { visitsOf } from "../../events/visit-fold.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { Surroundings } from "../request.ts";
import { Coverage, type FileCoverage } from "../scenarios/coverage.ts";
import { runScenario } from "../scenarios/run-scenario.ts";

export interface Played {
  readonly scenarios: number;
  /** By step: how many scenarios take it. */
  readonly taken: ReadonlyMap<string, number>;
  readonly coverage: FileCoverage | undefined;
}

/** `workflow` has no errors; `files` are its scenarios. Others get a turn between two of them. */
export async function playScenarios(
  workflow: LoadedWorkflow,
  files: readonly string[],
  surroundings: Surroundings,
): Promise<Played | undefined> {
  if (hasModules(workflow)) return undefined;
  const { overlay: _, extensions: __, ...rest } = surroundings;
  const taken = new Map<string, number>();
  const coverage = new Coverage();
  coverage.add(workflow, []);
  for (const file of files) {
    const checked = new Map([[workflow.file, workflow]]);
    const { events, workflow: played } = await runScenario(file, { ...rest, strict: true, checked });
    if (played) coverage.add(workflow, events);
    const own = visitsOf(events).filter(
      ({ path, attempts }) => path.length === 0 && attempts.some(({ began }) => began),
    );
    for (const node of new Set(own.map((visit) => visit.node))) taken.set(node, (taken.get(node) ?? 0) + 1);
    await new Promise((done) => setImmediate(done));
  }
  const report = coverage.report(surroundings.cwd).files[0];
  return { scenarios: files.length, taken, coverage: report };
}

/** A policy's module is code of the project. */
function hasModules(root: LoadedWorkflow, seen = new Set<string>()): boolean {
  if (seen.has(root.file)) return false;
  seen.add(root.file);
  const own = root.definition.workflow.policies.some((policy) => "module" in policy && policy.module !== undefined);
  return own || [...root.children.values()].some((child) => hasModules(child, seen));
}
