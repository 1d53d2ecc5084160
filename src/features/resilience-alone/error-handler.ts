// The engine's decision about errors for programs without workflows: it decides, and does what it decided.
import { setTimeout as pause } from "node:timers/promises";
import type { Raised } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import {
  type AskableBreaker,
  type BreakerSettings,
  CircuitBreaker,
  CircuitOpenError,
  ErrorHandler,
  type FailureCircumstances,
  healthOf,
  RetryPolicy,
  type SharedPass,
  type Verdict,
} from "../../engine/guard/resilience/index.ts";
import type { Clock, StoreAddress } from "../../frontends/library/options.ts";
import {
  CLOCK,
  checkMade,
  checkTaken,
  checkText,
  isFunction,
  isText,
  SIGNAL,
  STORE,
  type Wanted,
} from "../../frontends/library/wrong-call.ts";
import { storeBreaker } from "../../services/resilience/store-breaker.ts";
import { asRaised } from "./as-raised.ts";
import { DeadLetterQueue } from "./dead-letter-queue.ts";
import { SharedStore } from "./letter-shelf.ts";
import { RollingRetryPolicy } from "./retry-policy.ts";

/** Whose work failed, and how often it was tried again before. */
export interface FailedWork {
  /** What is called: each has a breaker of its own. */
  readonly agentId: string;
  readonly taskId?: string;
  /** Retries made so far: 0 after the first execution. */
  readonly attempt: number;
}

export interface BreakerOptions {
  /** Failures in a row that open it; 5 when left out. */
  readonly failureThreshold?: number;
  /** How long it stays open; 60 when left out. */
  readonly recoverySeconds?: number;
  /** Calls that must go well before it closes; 2 when left out. */
  readonly successThreshold?: number;
  /** Calls that may be tried at a time before it closes; 1 when left out. */
  readonly halfOpenMax?: number;
  /** Kinds that say that what is called is not well. */
  readonly counts?: readonly string[];
  /** Where they are kept, for all processes that use the store, workflows included; in memory when left out. */
  readonly store?: StoreAddress;
}

export interface ErrorHandlerOptions {
  readonly retry?: RetryPolicy;
  readonly breakers?: BreakerOptions;
  /** Where work that failed for good is kept; a queue in memory when left out. */
  readonly deadLetters?: DeadLetterQueue<FailedWork>;
  /** Called with an error that a retry cannot fix. What it throws goes, with the error, into the dead letters. */
  readonly onEscalate?: (escalated: { readonly error: Raised; readonly context: FailedWork }) => unknown;
  readonly clock?: Clock;
}

const number = (words: string, fits: (value: number) => boolean): Wanted => [
  words,
  (value) => typeof value === "number" && fits(value),
];
const COUNT = number("a whole number, 1 or more", (value) => Number.isInteger(value) && value >= 1);

const ATTEMPT = number("the number of retries made so far", (value) => value >= 0);
const FAILED_WORK: Wanted = [
  "an error, and { agentId, attempt }",
  (value) => isMapping(value) && isText(value.agentId) && ATTEMPT[1](value.attempt),
];

const RAISED: Wanted = [
  "an error with a kind, as asRaised gives it",
  (value) => isMapping(value) && isText(value.kind) && isMapping(value.details),
];
const CIRCUMSTANCES: Wanted = ["an error, and { attempt }", (value) => isMapping(value) && ATTEMPT[1](value.attempt)];

const BREAKERS: Readonly<Record<string, Wanted>> = {
  failureThreshold: COUNT,
  recoverySeconds: number("a number of seconds, 0 or more", (value) => value >= 0),
  successThreshold: COUNT,
  halfOpenMax: COUNT,
  counts: ["a list of kinds", Array.isArray],
  store: STORE,
};

const OPTIONS: Readonly<Record<string, Wanted>> = {
  retry: ["a RetryPolicy", (value) => value instanceof RetryPolicy],
  breakers: ["an object with their settings", isMapping],
  deadLetters: ["a DeadLetterQueue", (value) => value instanceof DeadLetterQueue],
  onEscalate: ["a function that is given the error", isFunction],
  clock: CLOCK,
};

/**
 * Decides between trying again, escalating and keeping it for later, and does it.
 *
 * @example
 * const handler = new ErrorHandler({ retry: new RetryPolicy({ maxRetries: 3 }), breakers: { failureThreshold: 5 } });
 * const page = await handler.execute("api", (signal) => fetch("https://api.example.com/", { signal }));
 */
export class ActingErrorHandler extends ErrorHandler {
  readonly deadLetters: DeadLetterQueue<FailedWork>;
  readonly #breakers = new Map<string, AskableBreaker>();
  readonly #settings: Partial<BreakerSettings>;
  readonly #counts: readonly string[] | undefined;
  readonly #store: SharedStore | undefined;
  readonly #onEscalate: ErrorHandlerOptions["onEscalate"];
  readonly #clock: Clock;
  /** What the other side asked to wait, by task. */
  readonly #asked = new Map<string, unknown>();

  constructor(given: ErrorHandlerOptions | RetryPolicy = {}) {
    const options = given instanceof RetryPolicy ? { retry: given } : given;
    checkMade("ErrorHandler", options, OPTIONS);
    const { retry, breakers = {}, deadLetters, onEscalate, clock = REAL } = options;
    checkMade("the breakers of ErrorHandler", breakers, BREAKERS);
    super(retry ?? new RollingRetryPolicy());
    this.#clock = clock;
    this.deadLetters = deadLetters ?? new DeadLetterQueue({ now: () => clock.now() });
    this.#onEscalate = onEscalate;
    this.#counts = breakers.counts;
    this.#store = breakers.store === undefined ? undefined : new SharedStore(breakers.store);
    this.#settings = {
      failure_threshold: breakers.failureThreshold ?? 5,
      recovery_timeout: breakers.recoverySeconds ?? 60,
      success_threshold: breakers.successThreshold ?? 2,
      half_open_max: breakers.halfOpenMax ?? 1,
    };
  }

  /** The breaker of what is called, made at its first use. Its state is a promise where it is kept in a store. */
  breaker(key: string): AskableBreaker {
    checkText("breaker of ErrorHandler", "the key of what is called", key);
    const found = this.#breakers.get(key) ?? this.#newBreaker(key);
    this.#breakers.set(key, found);
    return found;
  }

  #newBreaker(key: string): AskableBreaker {
    const now = (): number => this.#clock.now();
    const store = this.#store;
    if (!store) return new CircuitBreaker(key, this.#settings, { now });
    return storeBreaker(key, this.#settings, { now, state: async () => (await store.open()).state });
  }

  override decide(error: Raised, circumstances: FailureCircumstances): Verdict {
    checkTaken("decide of ErrorHandler", RAISED, error);
    checkTaken("decide of ErrorHandler", CIRCUMSTANCES, circumstances);
    return super.decide(error, circumstances);
  }

  /** Decides about an error and does it: on `RETRY` it is the caller who tries again, after `waitBeforeRetry`. */
  async handle(problem: unknown, context: FailedWork): Promise<Verdict> {
    checkTaken("handle of ErrorHandler", FAILED_WORK, context);
    const error = asRaised(problem);
    // A breaker hears of every failure but its own refusal.
    const asked = error.kind === "circuit.open" ? undefined : await this.breaker(context.agentId).ask();
    if (asked?.admitted) await this.#report(asked.pass, error);
    return this.#act(error, context);
  }

  async #act(error: Raised, context: FailedWork): Promise<Verdict> {
    const { status } = await this.breaker(context.agentId).state;
    const verdict = this.decide(error, { attempt: context.attempt, breaker: status });
    if (verdict === "RETRY") this.#asked.set(taskKey(context.agentId, context.taskId), error.details.retry_after);
    else if (verdict === "DEAD_LETTER") await this.deadLetters.add(error, context);
    else await this.#escalate(error, context);
    return verdict;
  }

  async #escalate(error: Raised, context: FailedWork): Promise<void> {
    try {
      await this.#onEscalate?.({ error, context });
    } catch (problem) {
      await this.deadLetters.add(error, context);
      process.emitWarning(`\`onEscalate\` threw: ${asRaised(problem).message}. The error is in the dead letters.`);
    }
  }

  /** Waits as long as the retry policy says, and as what failed asked for. Rejects when the signal aborts. */
  async waitBeforeRetry(
    taskId: string | undefined,
    agentId: string,
    attempt: number,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    checkText("waitBeforeRetry of ErrorHandler", "the id of an agent", agentId);
    checkTaken("waitBeforeRetry of ErrorHandler", ATTEMPT, attempt);
    const key = taskKey(agentId, taskId);
    const seconds = this.policy.delay(attempt, { retryAfter: this.#asked.get(key) });
    this.#asked.delete(key);
    await this.#clock.sleep(seconds * 1000, signal);
    signal?.throwIfAborted();
  }

  /** Calls under a breaker, tries again as the policy says, and throws the last error when that did not help. */
  async execute<Value>(
    key: string,
    work: (signal: AbortSignal) => Promise<Value> | Value,
    options: { readonly signal?: AbortSignal; readonly taskId?: string } = {},
  ): Promise<Value> {
    checkText("execute of ErrorHandler", "the key of what is called", key);
    checkTaken("execute of ErrorHandler", ["the function that makes the call", isFunction], work);
    checkMade("execute of ErrorHandler", options, { signal: SIGNAL, taskId: ["the id of a task", isText] });
    const { signal = new AbortController().signal, taskId } = options;
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      const context: FailedWork = { agentId: key, attempt, ...(taskId === undefined ? {} : { taskId }) };
      const asked = await this.breaker(key).ask();
      try {
        if (!asked.admitted) throw new CircuitOpenError(key, asked.retryAfterSeconds, asked.openedAt);
        const value = await work(signal);
        await asked.pass.succeeded();
        return value;
      } catch (problem) {
        if (signal.aborted && asked.admitted) await asked.pass.gaveUp();
        signal.throwIfAborted();
        const error = asRaised(problem);
        if (asked.admitted) await this.#report(asked.pass, error);
        if ((await this.#act(error, context)) !== "RETRY") throw problem;
        await this.waitBeforeRetry(taskId, key, attempt, { signal });
      }
    }
  }

  /** Closes the stores of breakers and dead letters, if there are any. They are opened again when they are used again. */
  async close(): Promise<void> {
    await Promise.all([this.#store?.close(), this.deadLetters.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Only failures of health count; a caller's mistake says that what was called answers. */
  async #report(pass: SharedPass, error: Raised): Promise<void> {
    const health = healthOf([error], this.#counts);
    await (health === "ill" ? pass.failed() : health === "well" ? pass.succeeded() : pass.gaveUp());
  }
}

const taskKey = (agentId: string, taskId = ""): string => JSON.stringify([agentId, taskId]);

const REAL: Clock = { now: () => Date.now(), sleep: (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}) };
