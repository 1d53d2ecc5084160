// What the newest run of a file and its scenarios say of its steps, for the author. Only this machine's store is read,
// and scenarios are played offline: an editor may do it for a folder that is not trusted.
import { existsSync } from "node:fs";
import { isMapping, unlessItThrows } from "../../base/errors/mapping.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { visitsOf } from "../../base/events/visits/visit-fold.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { runHome } from "../../base/results/run-home.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { readToShow } from "../../services/reading/read-run.ts";
import { asRefusal, Refused } from "../../services/refusals.ts";
import type { Session } from "../../services/session/session.ts";
import { reading, withStore } from "../../services/session/store.ts";
import { Coverage, type FileCoverage } from "../scenarios/coverage.ts";
import { runScenario } from "../scenarios/run-scenario.ts";

export interface LastRun {
  readonly runId: string;
  /** When it ended (ISO): it has nothing new to give after that. */
  readonly ended: string | null;
  /** Redacted: by step or group, its newest output. */
  readonly outputs: ReadonlyMap<string, unknown>;
  readonly inputs: unknown;
}

/** The newest run of a file that can be read. `known`: what was read before, given again while nothing changed. */
export async function lastRunOf(file: string, session: Session, known?: LastRun): Promise<LastRun | undefined> {
  const { fleet: _, env, ...rest } = session;
  const here: Session = { ...rest, env: { ...env, SEGNO_ON: undefined } };
  const home = runHome(here);
  if (home === undefined || !existsSync(home)) return undefined;
  try {
    return await withStore(here, async (store) => {
      const newest = await store.newestRun({ file });
      if (!newest) return undefined;
      const { runId, ended } = newest;
      if (ended !== null && known?.runId === runId && known.ended === ended) return known;
      return { ...(await reading(store, runId, (reader) => outputsOf(reader, here))), ended };
    });
  } catch (problem) {
    // A damaged journal or a store of another version: an editor has nothing to say about it.
    if (asRefusal(problem) instanceof Refused) return undefined;
    throw problem;
  }
}

async function outputsOf(reader: Parameters<typeof readToShow>[0], here: Session): Promise<Omit<LastRun, "ended">> {
  const outputs = new Map<string, unknown>();
  let inputs: unknown = {};
  const redactor = await readToShow(reader, here, (event: RunEvent) => {
    if (event.type === "workflow_started" && (event.path ?? []).length === 0) inputs = event.data.inputs;
    if (event.type === "agent_completed" && (event.path ?? []).length === 0)
      outputs.set(event.data.agent_name, event.data.output);
  });
  const shown = (value: unknown): unknown => redactor.value(value);
  return {
    runId: reader.runId,
    outputs: new Map([...outputs].map(([name, output]) => [name, shown(output)])),
    inputs: shown(inputs),
  };
}

/** What a scenario lets a step answer, as its output would be: fields that completion can offer before any run. */
export function scriptedOutputs(node: string, scenario: unknown): readonly unknown[] {
  if (!isMapping(scenario)) return [];
  const list = (name: string): readonly Readonly<Record<string, unknown>>[] => {
    const there = scenario[name];
    return Array.isArray(there) ? there.filter((one) => isMapping(one) && one.step === node) : [];
  };
  const agents = isMapping(scenario.agent_scripts) ? scenario.agent_scripts[node] : undefined;
  return [
    ...(Array.isArray(agents) ? agents.map((one) => (isMapping(one) ? asJson(one.content) : undefined)) : []),
    ...list("cli_scripts").map(({ stdout }) => ({ stdout: "", stderr: "", exit_code: 0, ...objectIn(stdout) })),
    ...list("http_scripts").map(({ body }) => ({ body: asJson(body) })),
    ...list("mcp_scripts").map(({ content }) => asJson(content)),
    ...list("step_scripts").map(({ output }) => asJson(output)),
  ].filter((one) => one !== undefined);
}

function asJson(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return value;
  return unlessItThrows(() => parseJson(value), value);
}

const objectIn = (value: unknown): object => {
  const read = asJson(value);
  return isMapping(read) ? read : {};
};

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
): Promise<Played> {
  const { readsFrom: _, extensions: __, ...rest } = session;
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
