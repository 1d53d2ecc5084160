// Which run a resume goes on with: by run, by file (its newest that can be resumed), or by nothing (the newest such of
// the working directory).
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { StoreError } from "../../hosts/store-error.ts";
import { COMMAND_LINE } from "../../results/index.ts";
import { refusal, UnknownRun } from "../refusals.ts";
import type { Rerun, ResumeRequest } from "../request.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import { canBeResumed, findRun, isRunBelow } from "./find-run.ts";
import { howToGetBack, lostPlaces } from "./lost-items.ts";
import { stateOf } from "./read-run.ts";

type Looking = Pick<Session, "cwd" | "reader"> & Pick<Rerun, "failedItems">;

export async function runToResume(
  store: RunStore,
  { cwd, reader }: Session,
  { target, rerun: { failedItems } = {} }: ResumeRequest,
): Promise<string> {
  const looking: Looking = { cwd, reader, failedItems };
  if (target === undefined) return newestHere(store, looking);
  if (target === "") throw refusal("no run was named. Name one, or nothing at all for the newest that can be resumed.");
  if (/[./\\]/.test(target) || /\.ya?ml$/.test(target) || existsSync(resolve(cwd, target)))
    return newestOf(store, await store.runs({ file: resolve(cwd, target) }), ` of ${target}`, looking);
  const runId = await findRun(store, target);
  if (!runId) throw new UnknownRun(target, reader);
  return runId;
}

async function newestHere(store: RunStore, looking: Looking): Promise<string> {
  const { cwd, reader = COMMAND_LINE, failedItems } = looking;
  const all = await store.runs();
  const here = all.filter((run) => isRunBelow(run, cwd));
  if (failedItems) return newestOf(store, here, "", looking);
  const elsewhere = all.find((run) => canBeResumed(run) && !isRunBelow(run, cwd));
  if (elsewhere && !here.some((run) => canBeResumed(run) || isDriven(run)))
    throw refusal(
      `no run of a file below ${cwd} can be resumed. The newest elsewhere is ${elsewhere.runId}, of ${elsewhere.file}; to go on with that one: ${reader.ask({ to: "resume", run: elsewhere.runId })}`,
    );
  return newestOf(store, here, "", looking);
}

async function newestOf(
  store: RunStore,
  runs: readonly StoredRun[],
  ofFile: string,
  { reader, failedItems }: Looking,
): Promise<string> {
  const lossy = failedItems ? await newestWithLosses(store, runs) : undefined;
  if (lossy !== undefined) return lossy;
  const resumable = runs.filter(canBeResumed);
  // One that was cut off before it began does not stand in the way of an older one.
  for (const { runId, crashed } of resumable)
    if (!crashed || (await reading(store, runId, async ({ lastSeq }) => (await lastSeq) > 0))) return runId;
  if (resumable[0]) return resumable[0].runId;
  const driven = runs.find(isDriven);
  if (driven) throw refusal(driverOf(driven), { runId: driven.runId });
  const [last] = runs;
  if (!last) throw refusal(`there is no run${ofFile} to resume`);
  const hint =
    last.status === "degraded" || last.status === "terminated" || last.status === "failed"
      ? await reading(store, last.runId, async (run) => howToGetBack(await stateOf(run), store, reader))
      : undefined;
  throw refusal(
    `no run${ofFile} can be resumed: the newest, ${last.runId}, is ${last.status}`,
    hint === undefined ? {} : { hint },
  );
}

/** The newest run that lost items; it may have ended well, and then no other resume would choose it. */
async function newestWithLosses(store: RunStore, runs: readonly StoredRun[]): Promise<string | undefined> {
  for (const run of runs) {
    if (isDriven(run) || run.status === "completed") continue;
    const places = reading(store, run.runId, async (reader) => lostPlaces(await stateOf(reader)));
    // One that cannot be read does not keep an older one from being found.
    const lost = await places.catch((problem: unknown) => {
      if (problem instanceof StoreError) return undefined;
      throw problem;
    });
    if (lost && lost.size > 0) return run.runId;
  }
  return undefined;
}

const isDriven = ({ status, crashed }: StoredRun): boolean => status === "running" && !crashed;

const driverOf = ({ runId, driver, started }: StoredRun): string =>
  `the run ${runId} is being driven by another process: pid ${driver?.pid} on ${driver?.host}, since ${started}`;
