// What the newest run of a file gave, step by step, for the author of the file. Only this machine's store is read: an
// author's editor asks no fleet.
import { existsSync } from "node:fs";
import type { RunEvent } from "../../events/registry.ts";
import { runHome } from "../../results/run-home.ts";
import { asRefusal, Refused } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { readToShow } from "../runs/read-run.ts";
import { reading, withStore } from "../session/store.ts";

export interface LastRun {
  readonly runId: string;
  /** Redacted: by step or group, its newest output. */
  readonly outputs: ReadonlyMap<string, unknown>;
  readonly inputs: unknown;
}

/** The newest run of a workflow file, an absolute path; nothing where there is none that can be read. */
export async function lastRunOf(file: string, surroundings: Surroundings): Promise<LastRun | undefined> {
  const { fleet: _, env, ...rest } = surroundings;
  const here: Surroundings = { ...rest, env: { ...env, SEGNO_ON: undefined } };
  const home = runHome(here);
  if (home === undefined || !existsSync(home)) return undefined;
  try {
    return await withStore(here, async (store) => {
      const newest = await store.newestRun({ file });
      return newest && (await reading(store, newest.runId, (reader) => outputsOf(reader, here)));
    });
  } catch (problem) {
    // A damaged journal or a store of another version: an editor has nothing to say about it.
    if (asRefusal(problem) instanceof Refused) return undefined;
    throw problem;
  }
}

async function outputsOf(reader: Parameters<typeof readToShow>[0], here: Surroundings): Promise<LastRun> {
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
