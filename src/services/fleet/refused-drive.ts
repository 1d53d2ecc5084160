// A drive that no worker could begin, or go on with, leaves nothing in the journal: why is kept beside it.
import type { RunMeta } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/result.ts";
import { withOwnName } from "../runs/report.ts";
import type { Session } from "../session/session.ts";

export async function refusedDrive({ fleet }: RunStore, runId: string): Promise<Result | undefined> {
  return ((await fleet?.standing(runId))?.refused as Result | null | undefined) ?? undefined;
}

/** A run's result, with why its last drive was refused. Where that was the first, its journal does not even name it. */
export function withRefusal(
  result: Result,
  refused: Result,
  meta: Pick<RunMeta, "workflow" | "file">,
  session: Pick<Session, "cwd">,
): Result {
  const { errors, exit_code } = refused;
  const error = `no worker could drive it: ${refused.error ?? "for no reason that is known"}`;
  return { ...withOwnName(result, meta, session), status: "failed", success: false, error, errors, exit_code };
}
