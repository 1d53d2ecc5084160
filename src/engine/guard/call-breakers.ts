// The breakers of one attempt: asked before a call, informed after it, their changes recorded as events. With `when_open:
// wait` a call waits until its breaker lets it through.

import { type Awaitable, mapMaybe, sequence } from "../../base/awaitable.ts";
import type { Raised } from "../../base/errors/index.ts";
import type { Resilience } from "../../language/schema/resilience.ts";
import type { CallBreakers } from "../../steps/step-type.ts";
import type { Visit } from "../frame.ts";
import { noteFor } from "../visit/attempt-under-way.ts";
import type { GuardedRun } from "./guarded-run.ts";
import type { BreakerState, BreakerStatus, Transition } from "./resilience/breaker-state.ts";
import { circuitOpen, healthOf } from "./resilience/circuit-breaker.ts";
import type { AskableBreaker, SharedBreakerAnswer, SharedPass } from "./resilience/shared-breaker.ts";

export type BreakerSection = NonNullable<Resilience["circuit_breaker"]>;

/** The attempt's slot of a policy, which others may have while a call waits. */
export interface AttemptSlot {
  free(): void | Promise<void>;
  take(): Promise<void>;
}

/** Of a `max_wait` that is not written. */
const LONGEST_WAIT_SECONDS = 3600;

/** Before a breaker that has refused is asked again, even if it says at once. */
const SHORTEST_WAIT_MS = 50;

type Refusal = SharedBreakerAnswer & { readonly admitted: false };

export class AttemptBreakers implements CallBreakers {
  readonly #out = new Map<string, { readonly breaker: AskableBreaker; readonly passes: SharedPass[] }>();
  /** The breaker that was asked last: the one that a decision about this attempt looks at. */
  #asked: AskableBreaker | undefined;
  #status: BreakerStatus | undefined;

  constructor(
    private readonly run: GuardedRun,
    private readonly visit: Visit,
    private readonly section: BreakerSection,
    private readonly slot: AttemptSlot,
  ) {}

  /** As it was when the attempt had ended. */
  get status(): BreakerStatus | undefined {
    return this.#status;
  }

  /** Before the attempt: of what it calls as a whole. */
  enter(target: string): Awaitable<Raised | undefined> {
    return this.#admit(target, this.section.when_open === "wait", false);
  }

  admit(target: string, hasOther = false): Awaitable<Raised | undefined> {
    return this.#admit(target, this.section.when_open === "wait" && !hasOther, true);
  }

  #admit(target: string, waits: boolean, isInAttempt: boolean): Awaitable<Raised | undefined> {
    const breaker = this.#out.get(target)?.breaker ?? this.run.governance.breaker(target, this.section);
    this.#asked = breaker;
    return mapMaybe(breaker.ask(), (asked): Awaitable<Raised | undefined> => {
      if (asked.admitted) return this.#passed(target, breaker, asked.pass);
      if (waits) return this.#wait(target, breaker, asked, isInAttempt);
      return circuitOpen(target, asked.retryAfterSeconds, asked.openedAt);
    });
  }

  #passed(target: string, breaker: AskableBreaker, pass: SharedPass): Awaitable<undefined> {
    const entry = this.#out.get(target) ?? { breaker, passes: [] };
    entry.passes.push(pass);
    this.#out.set(target, entry);
    return mapMaybe(this.#record(breaker, pass.transition), () => undefined);
  }

  async #wait(
    target: string,
    breaker: AskableBreaker,
    refused: Refusal,
    isInAttempt: boolean,
  ): Promise<Raised | undefined> {
    const { frame, work, key, signal, fiber } = this.visit;
    const { durable, clock } = frame.engine;
    const began = clock.now();
    const recorded = frame.reuse ? durable.recall.get(key)?.held : undefined;
    const since = recorded?.breaker === breaker.name ? recorded.since : began;
    const until = since + (this.section.max_wait ?? LONGEST_WAIT_SECONDS) * 1000;
    noteFor(this.visit, "circuit_awaited", {
      node: work.name,
      key,
      breaker: breaker.name,
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      in_attempt: isInAttempt || undefined,
    });
    const call = this.run.heldCalls.hold(breaker);
    const gone = async ({ retryAfterSeconds }: Refusal) => {
      await this.slot.free();
      const due = clock.now() + Math.max(retryAfterSeconds * 1000, SHORTEST_WAIT_MS);
      const hold = { durable, signal, now: () => clock.now(), due, until };
      const end = await (fiber ? fiber.waiting("clock", () => call.wait(hold)) : call.wait(hold));
      if (end === "ask") await this.slot.take();
      return end;
    };
    const waited = (): number => (clock.now() - since) / 1000;
    try {
      for (let last = refused; ; ) {
        const end = await gone(last);
        if (end !== "ask")
          return circuitOpen(target, last.retryAfterSeconds, last.openedAt, end === "late" ? waited() : undefined);
        const asked = await breaker.ask();
        if (asked.admitted) {
          noteFor(this.visit, "circuit_passed", {
            node: work.name,
            key,
            breaker: breaker.name,
            waited_seconds: waited(),
          });
          const passed = this.#passed(target, breaker, asked.pass);
          // Another process may have closed it: then nobody has to wait any more.
          if ((await breaker.state).status === "closed") this.run.heldCalls.changed(breaker, true);
          return await passed;
        }
        last = asked;
      }
    } finally {
      call.release();
    }
  }

  report(target: string, ...errors: readonly (Raised | undefined)[]): void | Promise<void> {
    const entry = this.#out.get(target);
    const pass = entry?.passes.shift();
    if (!entry || !pass) return;
    const health = healthOf(
      errors.filter((error) => error !== undefined),
      this.section.counts,
    );
    if (health === "unknown") return pass.gaveUp();
    const changed = health === "well" ? pass.succeeded() : pass.failed();
    return mapMaybe(changed, (transition) => {
      this.run.heldCalls.changed(entry.breaker, transition === "closed");
      return this.#record(entry.breaker, transition);
    });
  }

  /** The attempt ended: what was let through and never reported on ended with it. */
  reportAll(...errors: readonly (Raised | undefined)[]): void | Promise<void> {
    const open = [...this.#out].flatMap(([target, { passes }]) => passes.map(() => target));
    const reported = sequence(...open.map((target) => () => this.report(target, ...errors)));
    return reported ? reported.then(() => this.#look()) : this.#look();
  }

  /** Nothing is known of how it ended. */
  giveUp(): void | Promise<void> {
    const passes = [...this.#out.values()].flatMap((entry) => entry.passes.splice(0));
    return sequence(...passes.map((pass) => () => pass.gaveUp()));
  }

  #look(): void | Promise<void> {
    if (!this.#asked) return;
    return mapMaybe(this.#asked.state, ({ status }) => {
      this.#status = status;
    });
  }

  #record(breaker: AskableBreaker, transition: Transition | undefined): void | Promise<void> {
    if (!transition) return;
    const { engine, path } = this.visit.frame;
    return mapMaybe(breaker.state, (state) => {
      const data = { breaker: breaker.name, failures: state.failures };
      if (transition === "closed") engine.durable.note(path, "circuit_closed", data);
      else if (transition === "half_opened") engine.durable.note(path, "circuit_half_opened", data);
      else engine.durable.note(path, "circuit_opened", { ...data, retry_after_seconds: recoverySeconds(state) });
    });
  }
}

const recoverySeconds = (state: BreakerState): number =>
  state.status === "open" ? (state.until - state.openedAt) / 1000 : 0;
