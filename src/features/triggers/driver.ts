// Drives a project's triggers: fires what is due, and makes sure that every firing gets its run. Any number of servers
// and workers may do this on one store: each firing is one record, and each record's run is started once.
import { setImmediate as otherWork } from "node:timers/promises";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { refusal } from "../../services/refusals.ts";
import { environmentRedactor } from "../../services/session/exit.ts";
import { filesOf } from "../../services/session/files.ts";
import { programName } from "../../services/session/program-name.ts";
import { storeFor } from "../../services/session/store.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import { CheckedFiles } from "../../services/workflows/workflows.ts";
import type { HostClock } from "../../storage/clock.ts";
import type { Firings } from "../../storage/firings.ts";
import type { RunStore } from "../../storage/store.ts";
import { isUnreadable } from "../../storage/store-error.ts";
import { checkTriggers } from "./check-triggers.ts";
import { deliver, type Webhook, type WebhookAnswer } from "./deliver.ts";
import { nextDue } from "./due.ts";
import { type FiringWorld, whyNot } from "./fire.ts";
import { type FiredRuns, type FiringGround, noRunText, RunsHere, RunsOnFleet } from "./fired-runs.ts";
import { placeOf, reachedFirings, sessionOfFirings, settleWaiting, stateIfReached, triggerParts } from "./firings.ts";
import { concealing, type KnownTrigger, triggersOf } from "./known-trigger.ts";
import { TriggerRounds } from "./trigger-rounds.ts";

/** The caller has checked that the project is trusted. */
export interface DrivingTriggers extends Pick<FiringGround, "project" | "session" | "runs" | "said"> {
  readonly clock: HostClock;
  /** A store that is open already, and whose owner closes it. */
  readonly store?: RunStore;
  /** Called with what went wrong in a round; the next one tries again. */
  readonly trouble?: (problem: unknown) => void;
}

const POLL_MS = 1000;

export class TriggerDriver {
  readonly #triggers: readonly KnownTrigger[];
  readonly #firings: Firings;
  readonly #runs: FiredRuns;
  /** Each goes on for itself: one whose cell is away keeps no other waiting. */
  readonly #parts: readonly TriggerRounds[];
  /** Many triggers fire the same file, again and again: it is checked when it has changed. */
  readonly #checked = new CheckedFiles<LoadedWorkflow>();
  #saidOfSeal: string | undefined;
  #isClosing = false;
  readonly #naps = new Set<AbortController>();

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
    const parts = {
      ...options,
      store,
      firings,
      runs: this.#runs,
      triggers: this.#triggers,
      world: (own: Firings) => this.#world(own),
      // Yields: with a store that answers at once, requests would never get a turn.
      isStopping: async () => {
        await otherWork();
        return this.#isClosing;
      },
    };
    this.#parts = triggerParts(firings, this.#triggers).map((part) => new TriggerRounds(part, parts));
  }

  /** What it drives, in a sentence; `file`: whose triggers they are. */
  async about(file: string): Promise<string> {
    const { clock, project, session } = this.options;
    const driven = await drivenTriggers(this.#triggers, this.#firings, { file, now: clock.now() });
    const wrong = [...checkTriggers(project, session)].find(({ severity }) => severity === "error");
    if (!wrong) return driven;
    return `${driven} ${file} is not valid: ${environmentRedactor(session.env).text(wrong.message)} See: ${programName(session.env)} validate ${file}`;
  }

  /** Rounds until the signal aborts. Runs that go on then are stopped by the owner of `runs`, and resumed later. */
  async run(signal: AbortSignal): Promise<void> {
    const end = (): void => {
      this.#isClosing = true;
      this.wake();
    };
    signal.addEventListener("abort", end, { once: true });
    await Promise.all(this.#parts.map((part) => this.#rounds(part, signal)));
  }

  async #rounds(part: TriggerRounds, signal: AbortSignal): Promise<void> {
    const { clock, trouble } = this.options;
    while (!signal.aborted) {
      await part.round().catch((problem: unknown) => {
        this.#sayIfSealed(problem);
        trouble?.(problem);
      });
      const nap = new AbortController();
      this.#naps.add(nap);
      // Moments of schedules are whole seconds: so a round begins with each.
      if (!signal.aborted) await clock.sleep(POLL_MS - (clock.now() % POLL_MS), nap.signal);
      this.#naps.delete(nap);
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
    for (const nap of this.#naps) nap.abort();
  }

  async round(): Promise<void> {
    const settled = await Promise.allSettled(this.#parts.map((part) => part.round()));
    for (const one of settled) if (one.status === "rejected") throw one.reason;
  }

  async deliver(webhook: Webhook): Promise<WebhookAnswer> {
    const trigger = this.#triggers.find((one) => one.webhook?.path === webhook.path);
    const firings = trigger ? await reachedFirings(this.#firings, trigger) : this.#firings;
    if (!firings) return { status: 503, body: { error: "the database of this webhook cannot be reached" } };
    if (trigger) await settleWaiting(this.store, firings);
    const answer = await deliver(webhook, trigger, this.#world(firings));
    this.wake();
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#runs.close();
    if (!this.options.store) await this.store.close();
  }

  idle(): Promise<void> {
    return this.#runs.idle();
  }

  #world(firings: Firings): FiringWorld {
    const { clock, session, project, said } = this.options;
    const here = sessionOfFirings({ session, project });
    return {
      firings,
      recorded: (runId) => {
        for (const part of this.#parts) part.recorded(runId);
      },
      now: clock.now(),
      whyNot: (trigger, inputs, changed, cell, brought) =>
        whyNot(trigger, { inputs, changed, brought, place: placeOf(this.#firings, trigger, cell) }, here, (file) =>
          this.#checkedFile(file),
        ),
      concealing: (trigger, brought) => concealing(trigger, session.env, brought),
      refused: (trigger, reason) => said?.(noRunText(trigger.name, reason)),
    };
  }

  #checkedFile(file: string): LoadedWorkflow {
    const session = sessionOfFirings(this.options);
    return this.#checked.of(file, filesOf(session), (files) => validWorkflow(file, session, {}, files));
  }
}

/** `file`: whose triggers they are, as it is shown. */
async function drivenTriggers(
  triggers: readonly KnownTrigger[],
  firings: Firings,
  { file, now }: { readonly file: string; readonly now: number },
): Promise<string> {
  const states = await Promise.all(
    triggers.map(async (trigger) => ({ trigger, paused: (await stateIfReached(firings, trigger))?.paused === true })),
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
