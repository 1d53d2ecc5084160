// A script or an agent may outlive the drive that started it. It is ended before its step runs again.
import { idempotencyKey } from "../../events/idempotency-key.ts";
import type { LeftRunning } from "../../events/visits/recall.ts";
import type { Engine } from "../frame.ts";

type Left = Pick<LeftRunning, "spawned" | "wasCutOff" | "type"> & { readonly idempotencyKey: string };

/** Gives the process group that was ended, if one lived. */
export async function endLeftRunning(
  engine: Engine,
  { spawned, wasCutOff, type, idempotencyKey }: Left,
): Promise<number | undefined> {
  if (spawned && (await engine.endOrphan(spawned))) return spawned.pid;
  // What it started may be left when it is gone itself, or was never written down.
  const startsProcesses = type === "script" || type === "agent";
  return wasCutOff && startsProcesses ? engine.endAttempt?.(idempotencyKey) : undefined;
}

/**
 * Ends all that earlier drives left running, wherever in the run it was. `--force` and `--from` need this before they
 * begin: a loop comes to the step under another key, and steps before it would run beside what is left.
 */
export async function endAllLeftRunning(engine: Engine): Promise<void> {
  const { durable } = engine;
  for (const left of durable.recall.leftRunning()) {
    const { key, node, path, ordinal } = left;
    const pid = await endLeftRunning(engine, {
      ...left,
      idempotencyKey: idempotencyKey(durable.runId, key, ordinal),
    });
    if (pid !== undefined) durable.note(path, "orphan_ended", { agent_name: node, pid });
  }
}
