// Works on a share of a spread group: replays what the run has recorded up to the group, as a resume does, then takes
// items until none is left.
import type { RunEvent } from "../../../base/events/registry.ts";
import { interpretRun } from "../../../services/drive/interpret-run.ts";
import { materializedFolder } from "../../../services/drive/places.ts";
import { readHistory } from "../../../services/drive/read-history.ts";
import { recorded } from "../../../services/drive/recorded.ts";
import { governing, groundOf } from "../../../services/drive/to-its-end.ts";
import { withOwnFunctions } from "../../../services/project/with-definition.ts";
import { readEvents } from "../../../services/reading/read-run.ts";
import { homeOf } from "../../../services/session/home.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import { DriveLeft, type IdleRelease } from "../../../storage/idle-release.ts";
import type { Events, RunReader } from "../../../storage/run-reader.ts";
import type { RunStore } from "../../../storage/store.ts";
import type { TakenBranch } from "../postgres/worker-host.ts";
import { ShareEnded, type SpreadParticipant } from "../spread/spreading.ts";
import { filesAsPinned, sessionAt } from "./drive-placed.ts";
import { askedReopening, type FleetRequest, recordedSources } from "./fleet-request.ts";

/** What an earlier drive of the share has recorded. */
export const ownEvents = async ({ log }: TakenBranch): Promise<readonly RunEvent[]> => [
  ...(await readEvents(log.events())),
];

export interface Sharing {
  readonly taken: TakenBranch;
  readonly own: readonly RunEvent[];
  readonly presence: IdleRelease;
  readonly part: SpreadParticipant;
}

/** Gives why it was left, if it was; fails with what kept the share from its end. */
export async function driveBranch(
  store: RunStore,
  { taken, own, presence, part }: Sharing,
  worker: Session,
): Promise<DriveLeft | undefined> {
  const { log, afterSeq } = taken;
  const request = taken.request as FleetRequest;
  const { people = worker.project?.people } = request;
  const here = sessionAt(request.cwd, { ...worker, project: { ...worker.project, people } });
  const session = await withOwnFunctions(here, log.meta.file);
  const { provider, skipGates, maxIterations, maxVisits } = request;
  const before = await reading(store, log.runId, (reader) => readHistory(upTo(reader, afterSeq, own)));
  const reopen = own.length === 0 ? askedReopening(request) : undefined;
  const setup = await recorded(
    log,
    session,
    {
      materialized: materializedFolder(homeOf(worker), log.runId),
      inputs: {},
      files: filesAsPinned(await recordedSources(log, before.state), worker),
      provider,
      reopen,
    },
    { before },
  );
  const governed = await governing(setup, store, log);
  try {
    const left = Promise.race([presence.left, part.ended]);
    await interpretRun(
      setup,
      { skipGates, maxIterations, maxVisits, leaving: { portOf: presence.portOf, left } },
      groundOf(setup, store, log, governed),
    );
    throw new Error(`the run ${log.runId} does not come to ${taken.share.key} by what it has recorded`);
  } catch (problem) {
    if (problem instanceof ShareEnded) return undefined;
    if (problem instanceof DriveLeft) return problem;
    throw problem;
  } finally {
    await governed?.close();
    await setup.close();
  }
}

/** The run's journal as it was when its items were handed out, and what this share has recorded since. */
const upTo = (reader: RunReader, last: number, own: readonly RunEvent[]): Pick<RunReader, "runId" | "events"> => ({
  runId: reader.runId,
  events: () => first(reader.events(), last, own),
});

async function* first(events: Events, last: number, own: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    if (event.seq > last) break;
    yield event;
  }
  yield* own;
}
