// `cache:`: an outcome of another run is reused when the hash is the same.
import type { Visit } from "../frame.ts";
import type { KeptOutcome } from "../outcome-cache.ts";
import { type AttemptEnd, type AttemptUnderWay, attemptIdentity, changedFiles } from "./attempt-under-way.ts";
import { hashOfParts } from "./hash.ts";
import type { Work } from "./work.ts";

const settingsOf = ({ step }: Work): { readonly ttl?: number } | undefined =>
  step && "cache" in step && step.cache ? step.cache : undefined;

export const isCached = (work: Work): boolean => settingsOf(work) !== undefined;

/** `make test` is another thing in every project. */
const cacheKey = ({ frame, work }: Visit, hash: string): string => {
  const { engine, workflow } = frame;
  return hashOfParts(engine.rootDir, workflow.dir, hash, ...(work.type === "script" ? ["with files"] : []));
};

/** The attempt's end, when another run's outcome is kept for it. */
export async function fromCache({ visit, prepared, number }: AttemptUnderWay): Promise<AttemptEnd | undefined> {
  if (!prepared.ok) return undefined;
  const { frame } = visit;
  const { cache, durable } = frame.engine;
  const asked = cache?.get(cacheKey(visit, prepared.hash));
  const kept = asked instanceof Promise ? await asked : asked;
  if (!kept) return undefined;
  const { output, changes, files = [] } = kept;
  if (changedFiles(frame.engine, { files }).length > 0) return undefined;
  // With the output: a resume has no other record of it.
  durable.note(frame.path, "agent_reused", {
    ...attemptIdentity(visit, number),
    hash: prepared.hash,
    from_run: kept.runId,
    output,
    ...(changes ? { changes } : {}),
    ...(files.length > 0 ? { files: [...files] } : {}),
  });
  const timed = await durable.step(async () => undefined);
  return { end: { type: "succeeded", output, changes, reused: true }, endedAt: timed.endedAt, dice: timed.dice };
}

/** Of a script: which files it runs or names is known when it has run, so they are kept with its output. */
export function keepInCache(
  { visit, prepared, files }: AttemptUnderWay,
  { output, changes }: KeptOutcome,
): void | Promise<void> {
  const { frame, work } = visit;
  const settings = settingsOf(work);
  if (!settings || !prepared.ok || (work.type === "script" && hasExitedBadly(output))) return;
  const kept: KeptOutcome = { output, changes, files: work.type === "script" ? files.all : undefined };
  return frame.engine.cache?.put(cacheKey(visit, prepared.hash), kept, settings.ttl);
}

/** A script that did not opt in to errors succeeds with any exit code; a bad one is not cached, and so runs again. */
const hasExitedBadly = (output: unknown): boolean =>
  typeof output === "object" && output !== null && "exit_code" in output && output.exit_code !== 0;
