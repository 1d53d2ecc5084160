// Drives a project's triggers: fires what is due, and sees to it that every firing has its run. Any number of servers and
// workers may do this on one store: each firing is one record, and each record's run is started once.
import { createHash } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import type { HostClock } from "../../hosts/clock.ts";
import type { Firing, Firings } from "../../hosts/firings.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { RunStore } from "../../hosts/store.ts";
import { isUnreadable, StoreError } from "../../hosts/store-error.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { type EndedRun, followsRun } from "../../triggers/context.ts";
import type { Project } from "../project/read-project.ts";
import { refusal } from "../refusals.ts";
import type { BackgroundRuns } from "../runs/background.ts";
import { isRehearsal, personWhoStarted, stateOf } from "../runs/read-run.ts";
import { withoutSecretsOf } from "../secrets/environment-redactor.ts";
import type { Session } from "../session/session.ts";
import { reading, storeFor } from "../session/store.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { checkTriggers } from "./check-triggers.ts";
import { concealing } from "./concealed.ts";
import { deliver, type Webhook, type WebhookAnswer } from "./deliver.ts";
import { drivenTriggers } from "./driven-triggers.ts";
import { type FiringWorld, fire } from "./fire.ts";
import { endOf } from "./fire-by-hand.ts";
import { type FiredRuns, noRunText, sessionOfFirings } from "./fired-runs.ts";
import { inAnyOrder, type KnownTrigger, triggersOf } from "./known-trigger.ts";
import { type ProvenEnd, provenEnd } from "./proven-end.ts";
import { RunsHere } from "./runs-here.ts";
import { RunsOnFleet } from "./runs-on-fleet.ts";
import { fireMoments, quietSchedules } from "./scheduled-moments.ts";
import { KEPT_MS, triggerSeen } from "./trigger-seen.ts";
import { whyNot } from "./why-not.ts";
import { settleWaiting } from "./with-firings.ts";

export interface DrivingTriggers {
  /** Trusted: the caller has checked that. */
  readonly project: Project;
  readonly session: Session;
  readonly clock: HostClock;
  /** A store that is open already, and whose owner closes it. */
  readonly store?: RunStore;
  /** Where runs go on while the driver looks for more. */
  readonly runs: BackgroundRuns;
  /** Called with what went wrong in a round; the next one tries again. */
  readonly trouble?: (problem: unknown) => void;
  /** Called with a sentence about each firing that made no run, and about moments that were left out. */
  readonly said?: (sentence: string) => void;
}

const POLL_MS = 1000;
/** More ends of runs than this between two rounds are not looked at. */
const MOST_RUNS = 200;
/** A run's end is written by the clock of who drove it, and may be written late: ends are looked for again for so long. */
const LATE_MS = 5 * 60_000;
/** So many triggers are fired before runs of them are started. */
const AT_A_TIME = 20;
/** How often firings of the past are removed. */
const EXPIRE_MS = 60_000;

export class TriggerDriver {
  readonly #options: DrivingTriggers;
  readonly #triggers: readonly KnownTrigger[];
  readonly #store: RunStore;
  readonly #firings: Firings;
  readonly #runs: FiredRuns;
  /** Ends of runs that were fired for, so that they are not asked about again and again. */
  readonly #followed = new Map<string, number>();
  /** Files that were checked in this round. */
  readonly #checked = new Map<string, LoadedWorkflow>();
  #expiredAt = Number.NEGATIVE_INFINITY;
  #saidOfSeal: string | undefined;
  #isClosing = false;
  #wake: (() => void) | undefined;

  static async open(options: DrivingTriggers): Promise<TriggerDriver> {
    return new TriggerDriver(options.store ?? (await storeFor(options.session)), options);
  }

  private constructor(store: RunStore, options: DrivingTriggers) {
    const { firings } = store.state;
    if (!firings) throw refusal("this store keeps no firings, so no triggers can be driven on it");
    this.#options = options;
    this.#triggers = triggersOf(options.project);
    this.#store = store;
    this.#firings = firings;
    const ground = { ...options, store, firings, checked: (file: string) => this.#checked.get(file) };
    this.#runs = store.fleet ? new RunsOnFleet(ground, store.fleet) : new RunsHere(ground);
  }

  /** What it drives, in a sentence; `file`: whose triggers they are. */
  async about(file: string): Promise<string> {
    const { clock, project, session } = this.#options;
    const driven = await drivenTriggers(this.#triggers, this.#firings, { file, now: clock.now() });
    const wrong = [...checkTriggers(project, session)].find(({ severity }) => severity === "error");
    if (!wrong) return driven;
    return `${driven} ${file} is not valid: ${withoutSecretsOf(session.env, wrong.message)} See: segno validate ${file}`;
  }

  /** Rounds until the signal aborts. Runs that go on then are stopped by the owner of `runs`, and resumed later. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, trouble } = this.#options;
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    while (!signal.aborted) {
      await this.round().catch((problem: unknown) => {
        this.#sayIfSealed(problem);
        trouble?.(problem);
      });
      const nap = new AbortController();
      const wake = (): void => nap.abort();
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
      if (!signal.aborted) await clock.sleep(POLL_MS, nap.signal);
      signal.removeEventListener("abort", wake);
    }
  }

  /** No later round mends that. Said once, until it is something else. */
  #sayIfSealed(problem: unknown): void {
    if (!isUnreadable(problem) || problem.message === this.#saidOfSeal) return;
    this.#saidOfSeal = problem.message;
    this.#options.said?.(`Triggers cannot be fired from here. ${problem.message}`);
  }

  /** There may be something to do: the next round begins now. */
  wake(): void {
    this.#wake?.();
  }

  /** Fires what is due now, and starts what waits. */
  async round(): Promise<void> {
    const now = this.#options.clock.now();
    await settleWaiting(this.#store, this.#firings);
    this.#checked.clear();
    const quiet = await quietSchedules(this.#firings, this.#triggers, now);
    let looked = 0;
    for (const trigger of inAnyOrder(this.#triggers, this.#store.fleet !== undefined)) {
      if (quiet.has(trigger)) continue;
      // Hundreds may be due at one moment: the first runs do not wait for the last firing.
      if (looked++ % AT_A_TIME === AT_A_TIME - 1) await this.#startWaiting();
      if (trigger.schedule !== undefined) await this.#fireMoments(trigger, trigger.schedule, now);
      else if (trigger.on_run) await this.#followRuns(trigger, now);
    }
    await this.#startWaiting();
    // Also after the clock was set back.
    if (Math.abs(now - this.#expiredAt) < EXPIRE_MS) return;
    await this.#firings.expire(now - KEPT_MS, now);
    this.#expiredAt = now;
  }

  async deliver(webhook: Webhook): Promise<WebhookAnswer> {
    this.#checked.clear();
    await settleWaiting(this.#store, this.#firings);
    const answer = await deliver(webhook, this.#triggers, this.#world);
    this.wake();
    return answer;
  }

  /** Asked before each piece of a round. Yields: with a store that answers at once, requests would never get a turn. */
  async #isStopping(): Promise<boolean> {
    await otherWork();
    return this.#isClosing;
  }

  #stop(): void {
    this.#isClosing = true;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#runs.close();
    if (!this.#options.store) await this.#store.close();
  }

  /** Resolves when nothing that was started here goes on. */
  idle(): Promise<void> {
    return this.#runs.idle();
  }

  get #world(): FiringWorld {
    const { clock, session, project, said } = this.#options;
    const here = sessionOfFirings({ session, project });
    return {
      firings: this.#firings,
      now: clock.now(),
      whyNot: (trigger, inputs, changed) =>
        whyNot(trigger, { inputs, changed }, here, (file) => this.#checkedFile(file, here)),
      concealing: (trigger) => concealing(trigger, session.env),
      refused: (trigger, reason) => said?.(noRunText(trigger.name, reason)),
    };
  }

  /** Many triggers fire the same file: it is read and checked once in a round. */
  #checkedFile(file: string, session: Session): LoadedWorkflow {
    const checked = this.#checked.get(file) ?? validWorkflow(file, session);
    this.#checked.set(file, checked);
    return checked;
  }

  #fireMoments(trigger: KnownTrigger, schedule: string, now: number): Promise<void> {
    const { said } = this.#options;
    const ground = {
      firings: this.#firings,
      runs: this.#runs,
      world: () => this.#world,
      isStopping: () => this.#isStopping(),
      ...(said ? { said } : {}),
    };
    return fireMoments(ground, trigger, schedule, now);
  }

  async #followRuns(trigger: KnownTrigger, now: number): Promise<void> {
    const { paused, seenUntil: resumed } = await triggerSeen(this.#firings, trigger.id, { now });
    // Another filter is another trigger to look from: what ended before it was first seen it never waited for.
    const looking = `${trigger.id} ${digestOf(trigger.on_run)}`;
    const { seenUntil } = await triggerSeen(this.#firings, looking, { now, back: now - LATE_MS });
    if (!paused && seenUntil !== null) {
      const since = Math.max(seenUntil, resumed ?? 0);
      for (const run of await this.#endedSince(trigger, since)) {
        // A run that is resumed ends again, and that is another end.
        const name = `${trigger.id} ${JSON.stringify(run)}`;
        if (this.#followed.has(name)) continue;
        if (await this.#isStopping()) return;
        const proven = (await this.#isRehearsal(run)) ? undefined : await this.#proven(run);
        if (proven && Date.parse(proven.run.ended_at) >= since) await this.#follow(trigger, proven, now);
        this.#followed.set(name, now);
      }
    }
    for (const [name, at] of this.#followed) if (at < now - 2 * LATE_MS) this.#followed.delete(name);
    await this.#firings.see(looking, seenUntil === null ? now : now - LATE_MS);
  }

  async #follow(trigger: KnownTrigger, { run, marks }: ProvenEnd, now: number): Promise<void> {
    const depth = ((await this.#firings.get(run.run_id))?.depth ?? -1) + 1;
    const context = { name: trigger.name, fired_at: new Date(now).toISOString(), run };
    const person = await this.#read(run, personWhoStarted);
    const changedBy = (await this.#read(run, stateOf))?.changedBy ?? [];
    const people = { ...(person === undefined ? {} : { person }), changedBy };
    await fire(this.#world, trigger, { context, marks: marks.map((name) => ({ name })), depth, ...people });
  }

  /** One that cannot be read is no rehearsal: why it cannot is said when its end is proved. */
  async #isRehearsal(run: EndedRun): Promise<boolean> {
    return (await this.#read(run, isRehearsal)) ?? false;
  }

  async #read<Found>({ run_id }: EndedRun, read: (reader: RunReader) => Promise<Found>): Promise<Found | undefined> {
    try {
      return await reading(this.#store, run_id, read);
    } catch (problem) {
      if (problem instanceof StoreError) return undefined;
      throw problem;
    }
  }

  async #proven(run: EndedRun): Promise<ProvenEnd | undefined> {
    const { session, said } = this.#options;
    const why = await provenEnd(this.#store, run, session).catch((problem: unknown) => {
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
    const runs = await this.#store.runs({ workflow: trigger.on_run?.workflow ?? "", limit: MOST_RUNS });
    return runs
      .flatMap((run) => endOf(run) ?? [])
      .filter((run) => Date.parse(run.ended_at) >= since && followsRun(trigger, run))
      .reverse();
  }

  /** Oldest first. What another process has, or what its group has no room for, waits. */
  async #startWaiting(): Promise<void> {
    const known = new Map(this.#triggers.map((trigger) => [trigger.id, trigger]));
    const full = new Set<string>();
    /** Of a group: how many could not be taken. So many as its limit may be driven by others; one more has no room. */
    const untaken = new Map<string, number>();
    const fired = await this.#firings.list({ status: "fired", order: "oldest" });
    const started = roundRobin(
      fired.filter(({ isPlaced }) => !isPlaced),
      ({ group, trigger }) => group?.key ?? trigger,
    );
    // Those that end make room for others of their key.
    const placed = fired.filter(({ isPlaced }) => isPlaced);
    const runs = placed.length > 1 ? await this.#store.summaries(placed.map(({ runId }) => runId)) : [];
    const goingOn = new Set(runs.filter(({ status }) => IS_GOING_ON.has(status)).map(({ runId }) => runId));
    for (const firing of [...placed, ...started]) {
      const { group, isPlaced } = firing;
      if (await this.#isStopping()) return;
      if (isPlaced) {
        const isOver = !goingOn.has(firing.runId) && (await this.#runs.settleIfOver(firing));
        if (group?.limit === 1 && !isOver) full.add(group.key);
      } else if (!group || !full.has(group.key)) {
        const isTaken = await this.#start(firing, known.get(firing.trigger));
        if (!group) continue;
        if (!isTaken) untaken.set(group.key, (untaken.get(group.key) ?? 0) + 1);
        if (group.limit === 1 || (untaken.get(group.key) ?? 0) > group.limit) full.add(group.key);
      }
    }
  }

  /** False when another process has it, or its group has no room. */
  async #start(firing: Firing, trigger: KnownTrigger | undefined): Promise<boolean> {
    if (!trigger || this.#runs.has(firing.runId)) return true;
    if (!(await this.#firings.claim(firing.runId))) return false;
    await this.#runs.start(firing, trigger);
    return true;
  }
}

const IS_GOING_ON: ReadonlySet<string> = new Set(["queued", "running"]);

/** One of each key, then the next of each: a thousand of one key keep no other waiting. */
function roundRobin<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const rounds = new Map<string, number>();
  return items
    .map((item) => {
      const round = rounds.get(keyOf(item)) ?? 0;
      rounds.set(keyOf(item), round + 1);
      return { item, round };
    })
    .sort((a, b) => a.round - b.round)
    .map(({ item }) => item);
}

const digestOf = (filter: KnownTrigger["on_run"]): string =>
  createHash("sha256").update(JSON.stringify(filter)).digest("hex").slice(0, 16);
