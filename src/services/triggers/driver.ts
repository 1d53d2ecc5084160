// Drives a project's triggers: fires what is due, and sees to it that every firing has its run. Any number of servers and
// workers may do this on one store: each firing is one record, and each record's run is started once.
import { setImmediate as otherWork } from "node:timers/promises";
import type { HostClock } from "../../hosts/clock.ts";
import type { Firing, Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";
import { isUnreadable } from "../../hosts/store-error.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { nextDue } from "../../triggers/due.ts";
import type { Project } from "../project/read-project.ts";
import { refusal } from "../refusals.ts";
import type { BackgroundRuns } from "../runs/background.ts";
import { withoutSecretsOf } from "../secrets/environment-redactor.ts";
import { filesOf } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { storeFor } from "../session/store.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { CheckedFiles } from "../workflows/workflows.ts";
import { checkTriggers } from "./check-triggers.ts";
import { concealing } from "./concealed.ts";
import { deliver, type Webhook, type WebhookAnswer } from "./deliver.ts";
import { RunsHere, RunsOnFleet } from "./driven-runs.ts";
import type { FiringWorld } from "./fire.ts";
import { FiredHere, type FiredRuns, keyOf, noRunText, roundRobin, sessionOfFirings, sideBySide } from "./fired-runs.ts";
import { FollowedRuns } from "./followed-runs.ts";
import { inAnyOrder, type KnownTrigger, triggersOf } from "./known-trigger.ts";
import { fireMoments, quietSchedules } from "./scheduled-moments.ts";
import { KEPT_MS } from "./trigger-seen.ts";
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
/** So many triggers are fired before runs of them are started. */
const AT_A_TIME = 20;
/** So many of them at a time on a fleet. */
const SIDE_BY_SIDE = 6;
const EXPIRE_MS = 60_000;

export class TriggerDriver {
  readonly #triggers: readonly KnownTrigger[];
  readonly #firings: Firings;
  readonly #runs: FiredRuns;
  readonly #followed: FollowedRuns;
  /** Many triggers fire the same file, again and again: it is checked when it has changed. */
  readonly #checked = new CheckedFiles<LoadedWorkflow>();
  readonly #firedHere = new FiredHere();
  #expiredAt = Number.NEGATIVE_INFINITY;
  #saidOfSeal: string | undefined;
  #isClosing = false;
  #wake: (() => void) | undefined;

  static async open(options: DrivingTriggers): Promise<TriggerDriver> {
    return new TriggerDriver(options.store ?? (await storeFor(options.session)), options);
  }

  private constructor(
    private readonly store: RunStore,
    private readonly options: DrivingTriggers,
  ) {
    const { firings } = store.state;
    if (!firings) throw refusal("this store keeps no firings, so no triggers can be driven on it");
    this.#triggers = triggersOf(options.project);
    this.#firings = firings;
    const ground = { ...options, store, firings, checked: (file: string) => this.#checkedFile(file) };
    this.#runs = store.fleet ? new RunsOnFleet(ground, store.fleet) : new RunsHere(ground);
    this.#followed = new FollowedRuns({
      store,
      firings,
      session: options.session,
      said: options.said,
      world: () => this.#world,
      isStopping: () => this.#isStopping(),
    });
  }

  /** What it drives, in a sentence; `file`: whose triggers they are. */
  async about(file: string): Promise<string> {
    const { clock, project, session } = this.options;
    const driven = await drivenTriggers(this.#triggers, this.#firings, { file, now: clock.now() });
    const wrong = [...checkTriggers(project, session)].find(({ severity }) => severity === "error");
    if (!wrong) return driven;
    return `${driven} ${file} is not valid: ${withoutSecretsOf(session.env, wrong.message)} See: segno validate ${file}`;
  }

  /** Rounds until the signal aborts. Runs that go on then are stopped by the owner of `runs`, and resumed later. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, trouble } = this.options;
    const end = (): void => {
      this.#stop();
      this.#wake?.();
    };
    signal.addEventListener("abort", end, { once: true });
    while (!signal.aborted) {
      await this.round().catch((problem: unknown) => {
        this.#sayIfSealed(problem);
        trouble?.(problem);
      });
      const nap = new AbortController();
      this.#wake = () => nap.abort();
      // Moments of schedules are whole seconds: so a round begins with each.
      if (!signal.aborted) await clock.sleep(POLL_MS - (clock.now() % POLL_MS), nap.signal);
    }
  }

  /** No later round mends that. Said once, until it is something else. */
  #sayIfSealed(problem: unknown): void {
    if (!isUnreadable(problem) || problem.message === this.#saidOfSeal) return;
    this.#saidOfSeal = problem.message;
    this.options.said?.(`Triggers cannot be fired from here. ${problem.message}`);
  }

  /** There may be something to do: the next round begins now. */
  wake(): void {
    this.#wake?.();
  }

  async round(): Promise<void> {
    const now = this.options.clock.now();
    await settleWaiting(this.store, this.#firings);
    const quiet = await quietSchedules(this.#firings, this.#triggers, now);
    const awake = inAnyOrder(this.#triggers, this.store.fleet !== undefined).filter((one) => !quiet.has(one));
    // Hundreds may be due at one moment: the first runs do not wait for the last firing.
    for (let from = 0; from < awake.length; from += AT_A_TIME) {
      await this.#sideBySide(awake.slice(from, from + AT_A_TIME), async (trigger) => {
        if (trigger.schedule !== undefined) await this.#fireMoments(trigger, trigger.schedule, now);
        else if (trigger.on_run) await this.#followed.fireFor(trigger, now);
      });
      await this.#startWaiting();
    }
    if (awake.length === 0) await this.#startWaiting();
    // Also after the clock was set back.
    if (Math.abs(now - this.#expiredAt) < EXPIRE_MS) return;
    await this.#firings.expire(now - KEPT_MS, now);
    this.#expiredAt = now;
  }

  async deliver(webhook: Webhook): Promise<WebhookAnswer> {
    await settleWaiting(this.store, this.#firings);
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
    if (!this.options.store) await this.store.close();
  }

  idle(): Promise<void> {
    return this.#runs.idle();
  }

  get #world(): FiringWorld {
    const { clock, session, project, said } = this.options;
    const here = sessionOfFirings({ session, project });
    return {
      firings: this.#firings,
      recorded: (runId) => this.#firedHere.add(runId),
      now: clock.now(),
      whyNot: (trigger, inputs, changed) =>
        whyNot(trigger, { inputs, changed }, here, (file) => this.#checkedFile(file)),
      concealing: (trigger) => concealing(trigger, session.env),
      refused: (trigger, reason) => said?.(noRunText(trigger.name, reason)),
    };
  }

  #checkedFile(file: string): LoadedWorkflow {
    const session = sessionOfFirings(this.options);
    return this.#checked.of(file, filesOf(session), (files) => validWorkflow(file, session, {}, files));
  }

  /** Several at a time on a fleet, where each waits for the database again and again; one after the other in a home. */
  #sideBySide<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    return sideBySide(items, this.store.fleet ? SIDE_BY_SIDE : 1, work);
  }

  #fireMoments(trigger: KnownTrigger, schedule: string, now: number): Promise<void> {
    const { said } = this.options;
    const ground = {
      firings: this.#firings,
      runs: this.#runs,
      world: () => this.#world,
      isStopping: () => this.#isStopping(),
      said,
    };
    return fireMoments(ground, trigger, schedule, now);
  }

  /** Oldest first. What another process has, or what its group has no room for, waits. */
  async #startWaiting(): Promise<void> {
    const known = new Map(this.#triggers.map((trigger) => [trigger.id, trigger]));
    const full = new Set<string>();
    /** Of a group: how many could not be taken. So many as its limit may be driven by others; one more has no room. */
    const untaken = new Map<string, number>();
    const fired = await this.#firings.list({ status: "fired", order: "oldest" });
    const started = roundRobin(
      this.#firedHere.first(
        fired.filter(({ isPlaced }) => !isPlaced),
        this.options.clock.now(),
      ),
      keyOf,
    );
    // Those that end make room for others of their key.
    const placed = fired.filter(({ isPlaced }) => isPlaced);
    const runs = placed.length > 1 ? await this.store.summaries(placed.map(({ runId }) => runId)) : [];
    const goingOn = new Set(runs.filter(({ status }) => IS_GOING_ON.has(status)).map(({ runId }) => runId));
    const look = async (firing: Firing): Promise<void> => {
      const { group, isPlaced } = firing;
      if (await this.#isStopping()) return;
      if (isPlaced) {
        const isOver = !goingOn.has(firing.runId) && (await this.#runs.settleIfOver(firing));
        if (group?.limit === 1 && !isOver) full.add(group.key);
      } else if (!group || !full.has(group.key)) {
        const isTaken = await this.#start(firing, known.get(firing.trigger));
        if (!group) return;
        if (!isTaken) untaken.set(group.key, (untaken.get(group.key) ?? 0) + 1);
        if (group.limit === 1 || (untaken.get(group.key) ?? 0) > group.limit) full.add(group.key);
      }
    };
    await this.#sideBySide(placed, look);
    // Those of one key one after the other, as their limit says.
    for (const round of started) await this.#sideBySide(round, look);
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

// Which triggers a server or a worker drives, in the words of its first lines: how many, which of them are paused, and when
// the first of their moments comes.

/** `file`: whose triggers they are, as it is shown. */
async function drivenTriggers(
  triggers: readonly KnownTrigger[],
  firings: Firings,
  { file, now }: { readonly file: string; readonly now: number },
): Promise<string> {
  const states = await Promise.all(
    triggers.map(async (trigger) => ({ trigger, paused: (await firings.state(trigger.id)).paused })),
  );
  const paused = states.filter((one) => one.paused).map(({ trigger }) => trigger.name);
  const moments = states
    .flatMap(({ trigger: { name, schedule, timezone }, paused: isPaused }) => {
      const at = schedule === undefined || isPaused ? undefined : nextDue({ schedule, timezone }, now);
      return at === undefined ? [] : [{ name, at }];
    })
    .sort((a, b) => a.at - b.at);
  const [next] = moments;
  const count = triggers.length > 1 ? `${triggers.length} ` : "";
  return [
    `It drives the ${count}triggers of ${file}: ${triggers.map(({ name }) => name).join(", ")}.`,
    ...(paused.length > 0 ? [`Paused: ${paused.join(", ")}.`] : []),
    ...(next ? [`The next moment is that of ${next.name}: ${new Date(next.at).toISOString().slice(0, 16)}Z.`] : []),
  ].join(" ");
}
