// The breakers of one attempt: asked before a call, told after, their changes noted as events.
import { matches, type Raised, raised } from "../../errors/index.ts";
import type { Resilience } from "../../language/schema/resilience.ts";
import type { CallBreakers } from "../../steps/executor.ts";
import type { Frame } from "../frame.ts";
import type { Governance } from "./governance.ts";
import type { BreakerState, BreakerStatus, Transition } from "./resilience/breaker-state.ts";
import type { CircuitBreaker, Pass } from "./resilience/circuit-breaker.ts";

export type BreakerSection = NonNullable<Resilience["circuit_breaker"]>;

/** Failures of health; the caller's own mistakes say nothing about the other side. */
const HEALTH: readonly string[] = [
  "provider.exhausted",
  "http.unavailable",
  "http.network",
  "internal.timeout",
  "mcp.protocol_error",
];

export class AttemptBreakers implements CallBreakers {
  readonly #frame: Frame;
  readonly #governance: Governance;
  readonly #section: BreakerSection;
  readonly #out = new Map<string, { readonly breaker: CircuitBreaker; readonly passes: Pass[] }>();
  /** The breaker that was asked last: the one that a decision about this attempt looks at. */
  #asked: CircuitBreaker | undefined;

  constructor(frame: Frame, governance: Governance, section: BreakerSection) {
    this.#frame = frame;
    this.#governance = governance;
    this.#section = section;
  }

  get status(): BreakerStatus | undefined {
    return this.#asked?.state.status;
  }

  admit(target: string): Raised | undefined {
    const breaker = this.#out.get(target)?.breaker ?? this.#governance.breaker(target, this.#section);
    this.#asked = breaker;
    const asked = breaker.ask();
    if (!asked.admitted) return refusal(target, asked.openedAt, asked.retryAfterSeconds);
    this.#tell(breaker, asked.pass.transition);
    const entry = this.#out.get(target) ?? { breaker, passes: [] };
    entry.passes.push(asked.pass);
    this.#out.set(target, entry);
    return undefined;
  }

  report(target: string, ...errors: readonly (Raised | undefined)[]): void {
    const entry = this.#out.get(target);
    const pass = entry?.passes.shift();
    if (!entry || !pass) return;
    const health = this.#healthOf(errors.filter((error) => error !== undefined));
    if (health === "unknown") pass.gaveUp();
    else this.#tell(entry.breaker, health === "well" ? pass.succeeded() : pass.failed());
  }

  /** The attempt ended: what was let through and never reported on ended with it. */
  reportAll(...errors: readonly (Raised | undefined)[]): void {
    for (const [target, { passes }] of this.#out) while (passes.length > 0) this.report(target, ...errors);
  }

  /** Nothing is known of how it ended. */
  giveUp(): void {
    for (const { passes } of this.#out.values()) for (const pass of passes.splice(0)) pass.gaveUp();
  }

  /** Whatever the other side answered, it answered; only what went wrong on this side of the call tells nothing. */
  #healthOf(errors: readonly Raised[]): "well" | "ill" | "unknown" {
    if (errors.length === 0) return "well";
    const counts = this.#section.counts ?? HEALTH;
    if (errors.some(({ kind }) => matches(counts, kind))) return "ill";
    return errors.some(({ kind }) => kind.startsWith("internal.") || kind === "circuit.open") ? "unknown" : "well";
  }

  #tell(breaker: CircuitBreaker, transition: Transition | undefined): void {
    if (!transition) return;
    const { state } = breaker;
    const told = { breaker: breaker.name, failures: state.failures };
    const { durable, path } = { durable: this.#frame.engine.durable, path: this.#frame.path };
    if (transition === "closed") durable.note(path, "circuit_closed", told);
    else if (transition === "half_opened") durable.note(path, "circuit_half_opened", told);
    else durable.note(path, "circuit_opened", { ...told, retry_after_seconds: recoverySeconds(state) });
  }
}

const recoverySeconds = (state: BreakerState): number =>
  state.status === "open" ? (state.until - state.openedAt) / 1000 : 0;

function refusal(breaker: string, openedAt: number, seconds: number): Raised {
  const after = Math.ceil(seconds * 1000) / 1000;
  return raised("circuit.open", `the circuit ${breaker} is open; it lets calls through again in ${shown(after)} s`, {
    breaker,
    opened_at: new Date(openedAt).toISOString(),
    retry_after: after,
    retry_after_seconds: after,
  });
}

const shown = (seconds: number): string => (seconds < 1 ? seconds.toFixed(2) : String(Math.ceil(seconds)));
