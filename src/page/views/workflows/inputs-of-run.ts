// What a run was given, as far as the page may see it.
import { unpackState } from "../../../events/packed-state.ts";
import type { RunSnapshotJson } from "../../../server/contract/run.ts";
import { apiPath, get } from "../../api/client.ts";
import { isBig, wholeValue } from "../../api/whole-value.ts";
import type { Inputs } from "./again.ts";

/** With its long values whole; fails when one of them cannot be had. */
export async function inputsOfRun(run: string, signal: AbortSignal): Promise<Inputs> {
  const { run_id, state } = await get<RunSnapshotJson>(apiPath("runs", run), {}, signal);
  const entries = Object.entries(unpackState(state).inputs).map(async ([name, value]) => [
    name,
    isBig(value) ? await wholeValue(value, run_id, signal) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
