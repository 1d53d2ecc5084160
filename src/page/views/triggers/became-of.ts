// What became of a firing, in a few words.
import type { TriggerJson } from "../../../server/contract/triggers.ts";

type Firing = NonNullable<TriggerJson["last"]>;

/** One that made no run was skipped or failed, and why matters; of a run it matters how it ended. */
export function becameOf({ run_id, status, reason }: Pick<Firing, "run_id" | "status" | "reason">): string {
  if (run_id !== null) return reason ?? status;
  return reason === null ? status : `${status}, ${reason}`;
}
