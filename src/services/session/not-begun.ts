// A run that a trigger has promised and that has not begun: its id was given out, and it waits to be started.

import { COMMAND_LINE, calledOffResult, type Reader, type Result } from "../../base/results/index.ts";
import type { Firing } from "../../storage/firings.ts";
import type { RunStore } from "../../storage/store.ts";
import { type Refused, refusal } from "../refusals.ts";

/** The firing that such a run is of; nothing when there is none of that id. */
export async function firingNotBegun({ state }: RunStore, runId: string): Promise<Firing | undefined> {
  const firing = await state.firings?.get(runId);
  return firing?.status === "fired" ? firing : undefined;
}

/** Which trigger it is of, without the project. */
const nameOf = ({ trigger }: Firing): string => trigger.slice(trigger.lastIndexOf("#") + 1);

export const notBegun = (firing: Firing, reader: Reader = COMMAND_LINE): Refused =>
  refusal(
    `the run ${firing.runId} has not begun: the trigger ${nameOf(firing)} fired at ${firing.firedAt}, and its run waits for its turn, or for a server that drives triggers`,
    {
      runId: firing.runId,
      errorType: "NotBegun",
      hint: `\`${reader.ask({ to: "cancel", run: firing.runId })}\` calls it off.`,
    },
  );

/** No process begins it from now on. Nothing is returned when one just has: then it is a run like any other. */
export async function callOff(store: RunStore, run: string, by: string): Promise<Result | undefined> {
  const firing = (await store.findRun(run)) === undefined ? await firingNotBegun(store, run) : undefined;
  if (!firing) return undefined;
  await store.state.firings?.settle(firing.runId, "ended", `called off before it began, by ${by}`);
  return (await store.findRun(run)) === undefined ? calledOffResult(firing.runId) : undefined;
}
