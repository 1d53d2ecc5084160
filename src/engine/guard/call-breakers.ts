// The breakers of one attempt: asked before a call, informed after it, their changes recorded as events.

import { type Awaitable, mapMaybe, sequence } from "../../base/awaitable.ts";
import type { Raised } from "../../base/errors/index.ts";
import type { Resilience } from "../../language/schema/resilience.ts";
import type { CallBreakers } from "../../steps/step-type.ts";
import type { Governance } from "../contract.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { BreakerState, BreakerStatus, Transition } from "./resilience/breaker-state.ts";
import { circuitOpen, healthOf } from "./resilience/circuit-breaker.ts";
import type { AskableBreaker, SharedPass } from "./resilience/shared-breaker.ts";

export type BreakerSection = NonNullable<Resilience["circuit_breaker"]>;

export class AttemptBreakers implements CallBreakers {
  readonly #out = new Map<string, { readonly breaker: AskableBreaker; readonly passes: SharedPass[] }>();
  /** The breaker that was asked last: the one that a decision about this attempt looks at. */
  #asked: AskableBreaker | undefined;
  #status: BreakerStatus | undefined;

  constructor(
    private readonly frame: WorkflowFrame,
    private readonly governance: Governance,
    private readonly section: BreakerSection,
  ) {}

  /** As it was when the attempt had ended. */
  get status(): BreakerStatus | undefined {
    return this.#status;
  }

  admit(target: string): Awaitable<Raised | undefined> {
    const breaker = this.#out.get(target)?.breaker ?? this.governance.breaker(target, this.section);
    this.#asked = breaker;
    return mapMaybe(breaker.ask(), (asked) => {
      if (!asked.admitted) return circuitOpen(target, asked.retryAfterSeconds, asked.openedAt);
      const entry = this.#out.get(target) ?? { breaker, passes: [] };
      entry.passes.push(asked.pass);
      this.#out.set(target, entry);
      return mapMaybe(this.#record(breaker, asked.pass.transition), () => undefined);
    });
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
    return mapMaybe(changed, (transition) => this.#record(entry.breaker, transition));
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
    const { engine, path } = this.frame;
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
