// Secrets that were kept for a run are removed once no process can drive it any more: its recorded events are rewritten
// as they are shown, without secrets, so that nothing has to be hidden from then on. The questions that it asked people
// are removed with them: its events hold those too.

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, promises, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { type HeldBack, heldBackIn, withoutHeldBack } from "../../base/events/secrets-in-events.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { type Redactor, secretsByName } from "../../base/redact/index.ts";
import { EventExit } from "../../base/results/index.ts";
import { HIDDEN_MARK, SPILL_FOLDER } from "../../steps/process/spill-file.ts";
import { touchPrivate } from "../../storage/private-files.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore, StoredRun } from "../../storage/store.ts";
import { LeaseHeld, StoreError } from "../../storage/store-error.ts";
import { hasEndedByItself, hasEndedWell, lostPlaces } from "./lost-items.ts";
import { eachEvent, redactorFor, stateOf } from "./read-run.ts";

/**
 * It keeps them while it can go on, has open letters or lost items, or was told how to run stale steps again. `driving`: of the drive, if it is here; it knows
 * secrets of the drive's environment too, so it is the one that hides them in spilled files.
 */
export async function forgetSecretsOf(
  store: RunStore,
  run: RunLog,
  state: RunState,
  driving?: Redactor,
): Promise<void> {
  const spilled = spilledFiles(run);
  const isOver = hasEndedWell(state) || hasEndedByItself(state);
  if (!isOver || lostPlaces(state).size > 0 || state.reusedBehind) return keepMetInSpilled(run, spilled, driving);
  const { secrets, shortSecrets } = await run.seenSecrets();
  const isWithout = secrets.length + shortSecrets.length + Object.keys(await run.secrets()).length === 0;
  if (isWithout && spilled.length === 0) return;
  if (await isLettered(store, run.runId)) return keepMetInSpilled(run, spilled, driving);
  const redactor = await redactorFor(run, { env: {} });
  await hideInSpilled(spilled, driving ?? redactor);
  if (isWithout) return;
  await store.state.gates.forget(run.runId);
  await run.forgetSecrets(await shownEvents(run, redactor));
}

/** What scripts printed beyond what a journal holds. */
function spilledFiles({ folder }: Pick<RunLog, "folder">): readonly string[] {
  const place = join(folder, SPILL_FOLDER);
  const names = unlessItThrows(() => readdirSync(place), []);
  return names.filter((name) => !name.startsWith(HIDDEN_MARK)).map((name) => join(place, name));
}

/** So much of a piece is looked at again with the next: no secret that is looked for is longer. */
const OVERLAP = 16 * 1024;

/** Keeps secrets that turned up in no event too: the spilled file is redacted with them when it is shown later. */
async function keepMetInSpilled(run: RunLog, paths: readonly string[], driving: Redactor | undefined): Promise<void> {
  if (!driving) return;
  for (const path of paths) {
    let before = "";
    for await (const piece of createReadStream(path, "utf8")) {
      const { secrets, shortSecrets } = driving.metIn(JSON.stringify(before + piece));
      if (secrets.length + shortSecrets.length > 0) await run.keepMet({ secrets, shortSecrets });
      before = String(piece).slice(-OVERLAP);
    }
  }
}

/** A file with secrets is written anew as it would be shown. */
async function hideInSpilled(paths: readonly string[], redactor: Redactor): Promise<void> {
  for (const path of paths) {
    const draft = join(dirname(path), `${HIDDEN_MARK}-${basename(path)}`);
    // What gets its name at the end of a file may stand at its beginning.
    for await (const piece of createReadStream(path, "utf8"))
      for (const secret of secretsByName(String(piece))) redactor.learn(secret, "by name");
    const [before, after] = [createHash("sha256"), createHash("sha256")];
    const redacting = redactor.stream();
    const hiding = async function* (pieces: AsyncIterable<string>): AsyncGenerator<string> {
      const shown = (text: string): string => {
        after.update(text);
        return text;
      };
      for await (const piece of pieces) {
        before.update(piece);
        yield shown(redacting.push(piece));
      }
      yield shown(redacting.end());
    };
    // Of a process that was stopped here.
    await promises.rm(draft, { force: true });
    await pipeline(createReadStream(path, "utf8"), hiding, createWriteStream(draft, { mode: 0o600, flags: "wx" }));
    // What holds no secret may be no text at all, and stays as it is.
    if (before.digest("hex") === after.digest("hex")) await promises.rm(draft);
    else await promises.rename(draft, path);
  }
  const [first] = paths;
  if (first !== undefined) touchPrivate(join(dirname(first), HIDDEN_MARK));
}

/** Its last letter may have been dropped, or have expired. Does nothing while a process drives the run. */
export async function forgetSecretsOfRun(store: RunStore, runId: string): Promise<void> {
  const known = await store.summary(runId);
  if (!known || isUnderWay(known) || (await isLettered(store, runId))) return;
  let run: RunLog;
  try {
    run = await store.openRun(runId);
  } catch (problem) {
    if (problem instanceof LeaseHeld || problem instanceof StoreError) return;
    throw problem;
  }
  try {
    await forgetSecretsOf(store, run, await stateOf(run));
  } finally {
    await run.release();
  }
}

export async function forgetSecretsOfAll(store: RunStore, failed: (problem: unknown) => void): Promise<void> {
  for (const runId of await store.runsWithSecrets()) await forgetSecretsOfRun(store, runId).catch(failed);
}

const isUnderWay = ({ status, resumable, waits }: StoredRun): boolean =>
  resumable || waits !== undefined || ["running", "queued", "paused", "cancelled"].includes(status);

const isLettered = async (store: RunStore, runId: string): Promise<boolean> =>
  (await store.state.letters.list({ runId, status: ["open", "retrying"], limit: 1 })).length > 0;

/** What a script printed is redacted as a stream: what that held back at the end goes back to its last event. */
async function shownEvents(run: RunLog, redactor: Redactor): Promise<(event: RunEvent) => RunEvent> {
  const held = new Map<number, string>();
  const first = new EventExit(redactor);
  const give = ({ seq, text }: HeldBack): void => void held.set(seq, text);
  await eachEvent(run.events(), (event) => heldBackIn(first.pass(event)).forEach(give));
  first.rest().forEach(give);
  const exit = new EventExit(redactor);
  return (event) => {
    const shown = exit.pass(event);
    if (shown.type !== "script_output") return withoutHeldBack(shown);
    return { ...shown, data: { ...shown.data, text: shown.data.text + (held.get(event.seq) ?? "") } };
  };
}
