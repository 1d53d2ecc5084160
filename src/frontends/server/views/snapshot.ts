// One run as a page first shows it: the fold, the picture of its files, how it stands and what to do next.

import type { Envelope } from "../../../base/errors/index.ts";
import { keptIn } from "../../../base/errors/mapping.ts";
import { slotOf, slotOfFrame } from "../../../base/events/key.ts";
import { packState } from "../../../base/events/state/packed-state.ts";
import { activeMs } from "../../../base/events/state/read.ts";
import type { Failure, FrameState, RunState, RunStatus } from "../../../base/events/state/state.ts";
import { currentWarnings, lostMembers } from "../../../base/events/state/warnings.ts";
import { authored } from "../../../base/redact/index.ts";
import { COMMAND_LINE, type Reader, type Result } from "../../../base/results/index.ts";
import { draw } from "../../../graph/draw.ts";
import type { Picture } from "../../../graph/picture.ts";
import { whyRunTakesNoRetry } from "../../../services/dead-letters/view.ts";
import { adviceFor } from "../../../services/explain/advice.ts";
import { lastDefinition, type PinnedDefinition } from "../../../services/reading/definition.ts";
import { type InQueue, resultInQueue, whoDrives, withRefusal } from "../../../services/reading/queued-run.ts";
import { resultOfRun } from "../../../services/reading/report.ts";
import { shownPath } from "../../../services/session/files.ts";
import type { Session } from "../../../services/session/session.ts";
import { nowOf } from "../../../services/session/store.ts";
import type { WatchedRun } from "./watched-run.ts";
import type { WatchedRuns } from "./watched-runs.ts";

export async function snapshotOf(run: WatchedRun, watched: WatchedRuns, session: Session) {
  const { store } = watched;
  const { state, runId, reader } = run;
  const { driver, waiting, isCutOff, refused } = await whoDrives(run, store);
  const definition = await definitionOf(run, session);
  const recorded = resultOfRun(state, {
    ...session,
    folder: reader.folder,
    redactor: run.redactor,
    interrupted: isCutOff,
    // They are in the state, and of a for_each of 20 000 there are as many.
    withoutSteps: true,
    ...(definition.root ? { workflow: definition.root } : {}),
  });
  const result = waiting
    ? resultInQueue(recorded, waiting, reader.meta, session)
    : refused
      ? withRefusal(recorded, refused, reader.meta, session)
      : recorded;
  const open = await store.state.letters.list({ runId, status: ["open", "retrying"] });
  const letters = open.map(({ id }) => id);
  const isUnderway = driver !== null || waiting !== undefined;
  const resumable = !isUnderway && result.checkpoint?.resumable === true;
  const shown = {
    state: authored(packState(state)),
    taken: [...run.taken.values()],
    banner: {
      ...(waiting
        ? standingInQueue(state, waiting)
        : refused
          ? standingRefused(state, result)
          : standingOf(state, isCutOff)),
      // The only advice then is to watch it.
      next: isUnderway ? [] : nextSteps(result, letters, resumable, session.reader),
    },
  };
  return {
    run_id: runId,
    seq: run.position,
    workflow: state.root.name || reader.meta.workflow,
    file: shownPath(state.root.file || reader.meta.file, session.cwd),
    status: shown.banner.status,
    resumable,
    ...shown,
    picture: authored(pictureOf(definition)),
    driver: driver && { pid: driver.pid, host: driver.host, since: driver.since, is_here: driver.pid === process.pid },
    drives: run.drives,
    letters,
    letters_why_not: whyRunTakesNoRetry({ status: shown.banner.status, resumable, isDriven: isUnderway }),
    took_ms: wholeMs(activeMs(state, driver ? nowOf(store) : undefined)),
    cost_usd: result.metrics?.total_cost_usd ?? null,
  };
}

const wholeMs = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

/** Loading files takes longer than all the rest: kept for as long as the run is driven with the same ones. */
const definitions = new WeakMap<WatchedRun, { readonly drive: number; readonly definition: PinnedDefinition }>();
const pictures = new WeakMap<PinnedDefinition, Picture | null>();

export async function definitionOf(run: WatchedRun, session: Session): Promise<PinnedDefinition> {
  const { drives } = run.state;
  const known = definitions.get(run);
  if (known?.drive === drives) return known.definition;
  const definition = await lastDefinition(run.reader, run.state, session);
  definitions.set(run, { drive: drives, definition });
  return definition;
}

const pictureOf = (definition: PinnedDefinition): Picture | null =>
  keptIn(pictures, definition, () => (definition.root ? draw(definition.root) : null));

/** `command` is for the clipboard. */
function nextSteps(result: Result, letters: readonly string[], canResume: boolean, reader: Reader = COMMAND_LINE) {
  const advice = adviceFor({ result, driver: null, isInQueue: false, letters, canResume, refusals: 0, reader });
  return advice.map((text) => {
    const command = /\b(?:npx )?segno [^`\n]+$/.exec(text)?.[0] ?? null;
    return { what: command === null ? "other" : whatOf(command), text, command };
  });
}

const whatOf = (command: string): string =>
  /^(?:npx )?segno (?:(?:gate|dlq) )?(resume|answer|retry|cancel)\b/.exec(command)?.[1] ?? "show";

export interface Standing {
  /** `crashed`: its process is gone and recorded no end. */
  readonly status: RunStatus | "crashed" | "queued";
  readonly termination: "success" | "failed" | null;
  readonly headline: string | null;
  readonly reason: string | null;
  /** With its sub-workflows before it: package/verify. */
  readonly step: string | null;
  readonly kind: string | null;
  readonly error: Envelope | null;
  /** How many members groups went on without. */
  readonly lost: number;
}

/** Of a run in a fleet that no worker drives. */
const standingInQueue = (state: RunState, { isQueued, sentence }: InQueue): Standing => ({
  ...standingOf(state, true),
  status: isQueued ? "queued" : "running",
  headline: sentence,
});

/** Of a run that no worker could drive: its journal does not say so. */
const standingRefused = (state: RunState, { error }: Pick<Result, "error">): Standing => ({
  ...standingOf(state, true),
  status: "failed",
  headline: error,
});

export function standingOf(state: RunState, crashed: boolean): Standing {
  const { failure, termination, cancelled, status } = state;
  const lost = currentWarnings(state).reduce((sum, warning) => sum + lostMembers(warning), 0);
  const nothing = { termination: null, headline: null, reason: null, step: null, kind: null, error: null, lost };
  if (crashed) return { ...nothing, status: "crashed", headline: "its process is gone and recorded no end" };
  switch (status) {
    case "terminated":
      return {
        ...nothing,
        status,
        termination: termination?.status ?? null,
        headline: whyTerminated(state),
        reason: termination?.reason ?? null,
        step: termination?.terminatedBy ?? null,
      };
    case "failed":
      return {
        ...nothing,
        status,
        headline: failure?.message ?? null,
        step: failure ? whereRaised(state, failure) : null,
        kind: failure?.error?.kind ?? null,
        error: failure?.error ?? null,
      };
    case "paused": {
      const [gate] = state.gates.values();
      return { ...nothing, status, headline: gate?.prompt ?? null, step: gate ? stepOf(gate.path, gate.node) : null };
    }
    case "cancelled":
      return {
        ...nothing,
        status,
        headline: cancelled?.by === undefined ? (cancelled?.reason ?? null) : `cancelled by ${cancelled.by}`,
        reason: cancelled?.reason ?? null,
        step: cancelled?.node ?? null,
      };
    case "running":
    case "completed":
    case "degraded":
      return { ...nothing, status };
    default:
      return status satisfies never;
  }
}

/** Where the error came from: inside the sub-workflow that failed, as far as the run has been there. */
function whereRaised({ root }: RunState, { path, node, error }: Failure): string | null {
  const outer = stepOf(path, node);
  if (!error || error.propagated.length === 0) return outer;
  const [caller, ...inner] = [...error.propagated].reverse();
  const { group, item_key } = error;
  const slots = [...path, ...[...error.propagated].reverse().map(slotOfFrame)];
  // Runs of older versions name no items with the callers; the error then names the one of the outermost caller.
  const byError =
    caller === undefined || group === undefined || item_key === undefined
      ? slots
      : [...path, slotOf(caller.node, { group, key: item_key }), ...inner.map(slotOfFrame)];
  const known = [slots, byError].find((one) => frameWithin(root, one) !== undefined);
  return known ? stepOf(known, error.raised_at.node) : outer;
}

export const frameWithin = (root: FrameState, slots: readonly string[]): FrameState | undefined =>
  slots.reduce<FrameState | undefined>((frame, slot) => frame?.frames.get(slot), root);

/** Its reason. One that could not be rendered is only the step's name: what was wrong with it says more. */
function whyTerminated(state: RunState): string | null {
  const { termination } = state;
  if (!termination) return null;
  const { reason, terminatedBy } = termination;
  if (reason !== terminatedBy) return reason;
  return currentWarnings(state).find(({ kind, node }) => kind === "note" && node === terminatedBy)?.message ?? reason;
}

export const stepOf = (path: readonly string[], node: string | null): string | null =>
  node === null ? null : [...path, node].join("/");
