// `cache:`: an outcome of another run is reused when the hash is the same.
import type { Visit, WorkflowFrame } from "../frame.ts";
import { attemptIdentity } from "./attempt-events.ts";
import type { AttemptEnd, AttemptUnderWay } from "./attempt-under-way.ts";
import { hashOfParts } from "./hash.ts";
import type { PreparedVisit } from "./prepare.ts";
import type { Work } from "./work.ts";

const settingsOf = ({ step }: Work): { readonly ttl?: number } | undefined =>
  step && "cache" in step && step.cache ? step.cache : undefined;

export const isCached = (work: Work): boolean => settingsOf(work) !== undefined;

/** `make test` is another thing in every project. */
const cacheKey = ({ engine, workflow }: WorkflowFrame, hash: string): string =>
  hashOfParts(engine.rootDir, workflow.dir, hash);

/** The attempt's end, when another run's outcome is kept for it. */
export async function fromCache({ visit, prepared, number }: AttemptUnderWay): Promise<AttemptEnd | undefined> {
  if (!prepared.ok) return undefined;
  const { frame } = visit;
  const { cache, durable } = frame.engine;
  const asked = cache?.get(cacheKey(frame, prepared.hash));
  const kept = asked instanceof Promise ? await asked : asked;
  if (!kept) return undefined;
  // With the output: a resume has no other record of it.
  const { output, runId: from_run } = kept;
  const identity = attemptIdentity(visit, number);
  durable.note(frame.path, "agent_reused", { ...identity, hash: prepared.hash, from_run, output });
  const timed = await durable.step(async () => undefined);
  return { end: { type: "succeeded", output, reused: true }, endedAt: timed.endedAt, dice: timed.dice };
}

export function keepInCache({ frame, work }: Visit, prepared: PreparedVisit, output: unknown): void | Promise<void> {
  const settings = settingsOf(work);
  if (settings && prepared.ok && !(work.type === "script" && hasExitedBadly(output)))
    return frame.engine.cache?.put(cacheKey(frame, prepared.hash), output, settings.ttl);
}

/** A script that nobody wants errors of goes on with any exit code; what did not work is still worth another try. */
const hasExitedBadly = (output: unknown): boolean =>
  typeof output === "object" && output !== null && "exit_code" in output && output.exit_code !== 0;
