// Runs that triggers follow with `on_run`: ends of runs are looked for, proved, and fired for once.
import { createHash } from "node:crypto";
import { isRehearsal, personWhoStarted, stateOf } from "../../services/reading/read-run.ts";
import { recordedEnd } from "../../services/reading/report.ts";
import type { Session } from "../../services/session/session.ts";
import { reading } from "../../services/session/store.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import type { RunStore } from "../../storage/store.ts";
import { StoreError } from "../../storage/store-error.ts";
import { type EndedRun, followsRun } from "./context.ts";
import { fire } from "./fire.ts";
import { endOf } from "./fire-by-hand.ts";
import { triggerSeen } from "./firings.ts";
import type { KnownTrigger } from "./known-trigger.ts";
import type { MomentsWorld } from "./scheduled-moments.ts";

interface FollowingGround extends Pick<MomentsWorld, "firings" | "world" | "isStopping" | "said"> {
  readonly store: RunStore;
  readonly session: Session;
}

/** More ends of runs than this between two rounds are not looked at. */
const MOST_RUNS = 200;
/** A run's end is written by the clock of who drove it, and may be written late: ends are looked for again for so long. */
const LATE_MS = 5 * 60_000;

export class FollowedRuns {
  /** Ends of runs that were fired for, so that they are not asked about again and again. */
  readonly #followed = new Map<string, number>();

  constructor(private readonly ground: FollowingGround) {}

  /** Fires the trigger for each run that it follows and that has ended since the last look. */
  async fireFor(trigger: KnownTrigger, now: number): Promise<void> {
    const { paused, seenUntil: resumed } = await triggerSeen(this.ground.firings, trigger.id, { now });
    // Another filter is another trigger to look from: what ended before it was first seen it never waited for.
    const looking = `${trigger.id} ${digestOf(trigger.on_run)}`;
    const { seenUntil } = await triggerSeen(this.ground.firings, looking, { now, back: now - LATE_MS });
    if (!paused && seenUntil !== null) {
      const since = Math.max(seenUntil, resumed ?? 0);
      for (const run of await this.#endedSince(trigger, since)) {
        // A run that is resumed ends again, and that is another end.
        const name = `${trigger.id} ${JSON.stringify(run)}`;
        if (this.#followed.has(name)) continue;
        if (await this.ground.isStopping()) return;
        // One that cannot be read is no rehearsal: why it cannot is said when its end is proved.
        const proven = (await this.#read(run, isRehearsal)) ? undefined : await this.#proven(run);
        if (proven && Date.parse(proven.run.ended_at) >= since) await this.#follow(trigger, proven, now);
        this.#followed.set(name, now);
      }
    }
    for (const [name, at] of this.#followed) if (at < now - 2 * LATE_MS) this.#followed.delete(name);
    // Ends of runs in a cell that is away are looked for when it is back.
    if (seenUntil !== null && (this.ground.store.cellsAway ?? []).length > 0) return;
    await this.ground.firings.see(looking, seenUntil === null ? now : now - LATE_MS);
  }

  async #follow(trigger: KnownTrigger, { run, marks }: ProvenEnd, now: number): Promise<void> {
    const depth = ((await this.ground.firings.get(run.run_id))?.depth ?? -1) + 1;
    const context = { name: trigger.name, fired_at: new Date(now).toISOString(), run };
    const person = await this.#read(run, personWhoStarted);
    const changedBy = (await this.#read(run, stateOf))?.changedBy;
    const cause = { context, marks: marks.map((name) => ({ name })), depth, person, changedBy };
    await fire(this.ground.world(), trigger, cause);
  }

  async #read<Found>({ run_id }: EndedRun, read: (reader: RunReader) => Promise<Found>): Promise<Found | undefined> {
    try {
      return await reading(this.ground.store, run_id, read);
    } catch (problem) {
      if (problem instanceof StoreError) return undefined;
      throw problem;
    }
  }

  async #proven(run: EndedRun): Promise<ProvenEnd | undefined> {
    const { session, said } = this.ground;
    const why = await provenEnd(this.ground.store, run, session).catch((problem: unknown) => {
      // What is wrong with one run keeps no other from being followed.
      if (problem instanceof StoreError && (problem.code === "corrupt" || problem.code === "sealed")) return problem;
      throw problem;
    });
    if (why && !(why instanceof StoreError)) return why;
    const reason =
      why?.message ?? "the run itself recorded no such end, so it was written into the database from outside";
    said?.(`No trigger fires for the end of run ${run.run_id} (${run.status}): ${reason}`);
    return undefined;
  }

  async #endedSince(trigger: KnownTrigger, since: number): Promise<readonly EndedRun[]> {
    const runs = await this.ground.store.runs({ workflow: trigger.on_run?.workflow ?? "", limit: MOST_RUNS });
    return runs
      .flatMap((run) => endOf(run) ?? [])
      .filter((run) => Date.parse(run.ended_at) >= since && followsRun(trigger, run))
      .reverse();
  }
}

const digestOf = (filter: KnownTrigger["on_run"]): string =>
  createHash("sha256").update(JSON.stringify(filter)).digest("hex").slice(0, 16);

interface ProvenEnd {
  readonly run: EndedRun;
  /** By which the same end is known again. */
  readonly marks: readonly string[];
}

/**
 * Whether a run ended as the index says. On a sealed fleet anybody who writes to the database can write the index, and
 * would start runs with it: there an end counts that the run's driver sealed, or that its sealed journal has. Nothing for
 * an end that the run itself knows nothing of.
 */
async function provenEnd(store: RunStore, run: EndedRun, session: Session): Promise<ProvenEnd | undefined> {
  const byTime = `run:${run.run_id}:${run.ended_at}`;
  if (!store.sealedEnd) return { run, marks: [byTime] };
  // By the number of its last event: the time in the index can be written by anybody.
  const marksOf = (seq: number): readonly string[] => [`run:${run.run_id}#${seq}`, byTime];
  const sealed = await store.sealedEnd(run.run_id);
  if (sealed && isSame(run, sealed) && sealed.ended === run.ended_at) return { run, marks: marksOf(sealed.seq) };
  // An older Segno may have driven it, which sealed no end: the journal is read through.
  const end = await reading(store, run.run_id, (reader) => recordedEnd(reader, session));
  if (end.ended === null || !isSame(run, { ...end, kind: end.failingKind })) return undefined;
  return { run: { ...run, ended_at: end.ended }, marks: marksOf(end.seq) };
}

const isSame = (
  run: EndedRun,
  { workflow, status, kind }: Readonly<Record<"workflow" | "status", string>> & Pick<EndedRun, "kind">,
): boolean => run.workflow === workflow && run.status === status && run.kind === kind;
