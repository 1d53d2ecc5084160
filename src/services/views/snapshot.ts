// One run as a page first shows it: the fold, the picture of its files, how it stands and what to do next.
import { keptIn } from "../../errors/mapping.ts";
import { packState } from "../../events/state/packed-state.ts";
import { activeMs } from "../../events/state/read.ts";
import { draw } from "../../graph/draw.ts";
import type { Picture } from "../../graph/picture.ts";
import { COMMAND_LINE, type Reader, type Result } from "../../results/index.ts";
import { adviceFor } from "../explain/advice.ts";
import { lastDefinition, type PinnedDefinition } from "../explain/definition.ts";
import { resultInQueue } from "../fleet/queued-run.ts";
import { withRefusal } from "../fleet/refused-drive.ts";
import { whyRunTakesNoRetry } from "../letters/view.ts";
import { resultOfRun } from "../runs/report.ts";
import { whoDrives } from "../runs/who-drives.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { nowOf } from "../session/store.ts";
import { standingInQueue, standingOf, standingRefused } from "./standing.ts";
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
    state: packState(state),
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
    // Once more: what was folded early may hold what became known as a secret later.
    ...(run.redactor.value(shown, { keys: "author" }) as typeof shown),
    picture: run.redactor.value(pictureOf(definition), { keys: "author" }) as Picture | null,
    driver: driver && { pid: driver.pid, host: driver.host, since: driver.since, is_here: driver.pid === process.pid },
    drives: run.drives,
    letters,
    letters_why_not: whyRunTakesNoRetry({
      status: shown.banner.status,
      resumable,
      isDriven: isUnderway,
    }),
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
    const command = /\bsegno [^`\n]+$/.exec(text)?.[0] ?? null;
    return { what: command === null ? "other" : whatOf(command), text, command };
  });
}

const whatOf = (command: string): string =>
  /^segno (?:(?:gate|dlq) )?(resume|answer|retry|cancel)\b/.exec(command)?.[1] ?? "show";
