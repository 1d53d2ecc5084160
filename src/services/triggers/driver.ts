// Drives a project's triggers: fires what is due, and starts, or goes on with, the run of every firing. Any number of
// servers may do this on one store: each firing is one record, and each record's run is driven by one of them.
import type { HostClock } from "../../hosts/clock.ts";
import type { Firing, Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Result } from "../../results/result.ts";
import { type EndedRun, followsRun } from "../../triggers/context.ts";
import { dueMoments } from "../../triggers/due.ts";
import type { BackgroundRuns } from "../background.ts";
import { cancelRun } from "../cancel.ts";
import { resumeDueGates } from "../due-gates.ts";
import type { Project } from "../project/read-project.ts";
import { DRIVEN, refusal } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { resumeRun } from "../resume.ts";
import { BEGUN, runWorkflow } from "../run.ts";
import { storeFor } from "../store.ts";
import { deliver, type Webhook, type WebhookAnswer } from "./deliver.ts";
import { asGivenInputs, type FiringWorld, fire } from "./fire.ts";
import { type KnownTrigger, overlapOf, triggersOf } from "./known-trigger.ts";
import { whyNot } from "./why-not.ts";

export interface DrivingTriggers {
  /** Trusted: whoever makes a driver has seen to that. */
  readonly project: Project;
  readonly surroundings: Surroundings;
  readonly clock: HostClock;
  /** Where runs go on while the driver looks for more. */
  readonly runs: BackgroundRuns;
  /** Told what went wrong in a round; the next one tries again. */
  readonly trouble?: (problem: unknown) => void;
  /** Told, in a sentence, of each firing that made no run. */
  readonly said?: (sentence: string) => void;
}

const POLL_MS = 1000;
/** Firings of the past are kept for a month. */
const KEPT_MS = 30 * 24 * 3600 * 1000;
/** More ends of runs than this between two rounds are not looked at. */
const MOST_RUNS = 200;
/** Of moments that nobody catches up with, the last few are recorded. */
const MOST_MISSED = 20;

export class TriggerDriver {
  readonly #options: DrivingTriggers;
  readonly #triggers: readonly KnownTrigger[];
  readonly #store: RunStore;
  readonly #here = new Map<string, { stop(): void; readonly settled: Promise<void> }>();
  #isClosing = false;
  #wake: (() => void) | undefined;

  static async open(options: DrivingTriggers): Promise<TriggerDriver> {
    return new TriggerDriver(await storeFor(options.surroundings), options);
  }

  private constructor(store: RunStore, options: DrivingTriggers) {
    this.#options = options;
    this.#triggers = triggersOf(options.project);
    this.#store = store;
  }

  /** Rounds until the signal aborts. Runs that go on then are stopped by whoever closes `runs`, and gone on with later. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, trouble } = this.#options;
    while (!signal.aborted) {
      await this.round().catch((problem: unknown) => trouble?.(problem));
      const nap = new AbortController();
      const wake = (): void => nap.abort();
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
      if (!signal.aborted) await clock.sleep(POLL_MS, nap.signal);
      signal.removeEventListener("abort", wake);
    }
  }

  /** Fires what is due now, and starts what waits. */
  async round(): Promise<void> {
    const now = this.#options.clock.now();
    for (const trigger of this.#triggers) {
      if (trigger.schedule !== undefined) await this.#fireMoments(trigger, trigger.schedule, now);
      else if (trigger.on_run) await this.#followRuns(trigger, now);
    }
    await this.#startWaiting();
    await resumeDueGates({ ...this.#options.surroundings, cwd: this.#options.project.dir }, now);
    await this.#firings.expire(now - KEPT_MS);
  }

  async deliver(webhook: Webhook): Promise<WebhookAnswer> {
    const answer = await deliver(webhook, this.#triggers, this.#world);
    this.#wake?.();
    return answer;
  }

  /** Whatever goes on here is stopped and written down; the next server goes on with it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { stop } of this.#here.values()) stop();
    await Promise.allSettled([...this.#here.values()].map(({ settled }) => settled));
    await this.#store.close();
  }

  /** Resolves when nothing that was started here goes on. */
  async idle(): Promise<void> {
    while (this.#here.size > 0) await Promise.allSettled([...this.#here.values()].map(({ settled }) => settled));
  }

  get #firings(): Firings {
    const { firings } = this.#store.state;
    if (!firings) throw refusal("this store keeps no firings, so no triggers can be driven on it");
    return firings;
  }

  get #world(): FiringWorld {
    const { clock, surroundings, project, said } = this.#options;
    const request = { ...surroundings, cwd: project.dir };
    return {
      firings: this.#firings,
      now: clock.now(),
      statusOf: async (runId) => (await this.#store.summary(runId))?.status,
      whyNot: (trigger, inputs) => whyNot(trigger, inputs, request),
      refused: (trigger, reason) => said?.(noRunText(trigger.name, reason)),
    };
  }

  async #fireMoments(trigger: KnownTrigger, schedule: string, now: number): Promise<void> {
    const { paused, seenUntil } = await this.#firings.state(trigger.id);
    // A schedule begins when it is first seen: what was before that it never missed.
    if (!paused && seenUntil !== null) {
      const { fire: due, missed } = dueMoments({ ...trigger, schedule }, seenUntil, now);
      for (const moment of missed.slice(-MOST_MISSED))
        await this.#fireMoment(trigger, moment, now, `no server was up (catch_up: ${trigger.catch_up})`);
      for (const moment of due) await this.#fireMoment(trigger, moment, now);
    }
    await this.#firings.see(trigger.id, now);
  }

  async #fireMoment(trigger: KnownTrigger, moment: number, now: number, skipped?: string): Promise<void> {
    const scheduled_at = new Date(moment).toISOString();
    if (overlapOf(trigger) === "cancel_running" && skipped === undefined)
      await this.#cancelBefore(trigger, scheduled_at);
    const context = { name: trigger.name, fired_at: new Date(now).toISOString(), scheduled_at };
    const marks = [{ name: `at:${scheduled_at}` }];
    await fire(this.#world, trigger, { context, marks, ...(skipped === undefined ? {} : { skipped }) });
  }

  /** Not the run of this very moment, which another server may have started. */
  async #cancelBefore({ id }: KnownTrigger, scheduledAt: string): Promise<void> {
    for (const { runId, body } of await this.#firings.list({ trigger: id, status: "fired" })) {
      if ((body.cause as { readonly scheduled_at?: string }).scheduled_at === scheduledAt) continue;
      await this.#firings.settle(runId, "ended", "cancelled for the next one (overlap: cancel_running)");
      const here = this.#here.get(runId);
      here?.stop();
      if (here) await here.settled;
      else if (await this.#store.summary(runId)) await cancelRun({ ...this.#options.surroundings, run: runId });
    }
  }

  async #followRuns(trigger: KnownTrigger, now: number): Promise<void> {
    const { paused, seenUntil } = await this.#firings.state(trigger.id);
    if (!paused && seenUntil !== null)
      for (const run of await this.#endedSince(trigger, seenUntil)) {
        const depth = ((await this.#firings.get(run.run_id))?.depth ?? -1) + 1;
        const context = { name: trigger.name, fired_at: new Date(now).toISOString(), run };
        // A run that is resumed ends again, and that is another end.
        await fire(this.#world, trigger, { context, marks: [{ name: `run:${run.run_id}:${run.ended_at}` }], depth });
      }
    // What ends in this very moment may be written after this look.
    await this.#firings.see(trigger.id, now - 5000);
  }

  async #endedSince(trigger: KnownTrigger, since: number): Promise<readonly EndedRun[]> {
    const runs = await this.#store.runs({ workflow: trigger.on_run?.workflow ?? "", limit: MOST_RUNS });
    return runs
      .flatMap(({ runId, workflow, status, failingKind, ended }) =>
        ended !== null && status !== "running" && status !== "paused" && Date.parse(ended) >= since
          ? [{ run_id: runId, workflow, status, kind: failingKind, ended_at: ended }]
          : [],
      )
      .filter((run) => followsRun(trigger, run))
      .reverse();
  }

  /** Oldest first. What somebody else has, or what its group has no room for, waits. */
  async #startWaiting(): Promise<void> {
    const known = new Map(this.#triggers.map((trigger) => [trigger.id, trigger]));
    for (const firing of [...(await this.#firings.list({ status: "fired" }))].reverse()) {
      const trigger = known.get(firing.trigger);
      if (!trigger || this.#isClosing || this.#here.has(firing.runId)) continue;
      if (await this.#firings.claim(firing.runId)) await this.#start(firing, trigger);
    }
  }

  async #start(firing: Firing, trigger: KnownTrigger): Promise<void> {
    const { runId } = firing;
    const before = await this.#store.summary(runId);
    if (before && before.status !== "running" && before.status !== "cancelled")
      return this.#firings.settle(runId, "ended", before.status);
    // Somebody went on with it by hand.
    if (before?.status === "running" && !before.crashed) return this.#firings.release(runId);
    const run = this.#options.runs.start((driving) => this.#drive(firing, trigger, driving));
    const settled = run.result
      .then(
        (result) => this.#settle(runId, result, trigger),
        (problem: unknown) => this.#failed(runId, String(problem), trigger),
      )
      .finally(() => this.#here.delete(runId));
    this.#here.set(runId, { stop: () => run.stop(), settled });
  }

  async #drive({ runId, body }: Firing, trigger: KnownTrigger, driving: object): Promise<Result> {
    const { surroundings, project } = this.#options;
    const request = { ...surroundings, ...driving, cwd: project.dir };
    const result = await runWorkflow({
      ...request,
      file: trigger.file,
      inputs: asGivenInputs((body.inputs ?? {}) as Readonly<Record<string, unknown>>),
      runId,
      startedBy: `trigger:${trigger.name}`,
    });
    // It had begun before a server went down: it is found, and gone on with.
    return result.errors[0]?.error_type === BEGUN ? resumeRun({ ...request, target: runId, inputs: {} }) : result;
  }

  async #settle(runId: string, result: Result, trigger: KnownTrigger): Promise<void> {
    // Stopped with the server, or somebody else has it: the firing is not over.
    if ((this.#isClosing && result.status === "cancelled") || result.errors[0]?.error_type === DRIVEN)
      return this.#firings.release(runId);
    const began = result.run_id !== null && result.status !== "invalid";
    if (began) await this.#firings.settle(runId, "ended", result.status);
    else await this.#failed(runId, result.error ?? "it did not begin", trigger);
  }

  async #failed(runId: string, reason: string, { name }: KnownTrigger): Promise<void> {
    await this.#firings.settle(runId, "failed", reason);
    this.#options.said?.(noRunText(name, reason));
  }
}

const noRunText = (name: string, reason: string): string => `The trigger ${name} started no run: ${reason}`;
