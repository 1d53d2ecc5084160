// One attempt with its guard: policies are asked, a slot is waited for, breakers are asked. Afterwards each of them
// gets the outcome, whatever it is.

import { sequence } from "../../base/awaitable.ts";
import { type Raised, raised } from "../../base/errors/index.ts";
import type { PolicyEntry } from "../../language/schema/resilience.ts";
import { stepTypeOf } from "../../steps/types.ts";
import type { AttemptAdmission } from "../contract.ts";
import type { Visit } from "../frame.ts";
import { noteFor } from "../visit/attempt-under-way.ts";
import { AttemptBreakers } from "./call-breakers.ts";
import type { GuardedRun } from "./guarded-run.ts";
import type { BreakerStatus } from "./resilience/breaker-state.ts";
import type { AttemptContext, PolicyContext, PolicyResult } from "./resilience/policy.ts";

/** With what the file calls the policy, where its own name is not in the file. */
type RecordedVerdict = PolicyResult & Pick<PolicyEntry, "module" | "policy">;

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `step ${index + 1} of another run`);

export class GuardedAttempt implements AttemptAdmission {
  readonly #breakers: AttemptBreakers | undefined;
  #freeSlot: (() => void | Promise<void>) | undefined;
  #onBoard = false;
  #ran = false;
  #ok: boolean | undefined;

  constructor(
    private readonly run: GuardedRun,
    private readonly visit: Visit,
  ) {
    const section = visit.work.isContainer ? undefined : visit.frame.resilience?.circuit_breaker;
    const slot = { free: () => this.#giveSlot(), take: () => this.#takeSlot() };
    this.#breakers = section ? new AttemptBreakers(run, visit, section, slot) : undefined;
  }

  /** A breaker of the step covers all that it calls. */
  get calls(): AttemptBreakers | undefined {
    return this.visit.frame.resilience?.circuit_breaker?.scope === "target" ? this.#breakers : undefined;
  }

  get breaker(): BreakerStatus | undefined {
    return this.#breakers?.status;
  }

  async enter(values: unknown, attempt: number): Promise<Raised | undefined> {
    const { work, key } = this.visit;
    const denied = await this.#askPolicies(values, attempt);
    if (denied) return denied;
    this.#enterPhase();
    if (work.isContainer) return undefined;
    await this.#takeSlot();
    const target = breakerTarget(this.visit, values);
    const asked = target === undefined ? undefined : this.#breakers?.enter(target);
    const refused = asked instanceof Promise ? await asked : asked;
    if (refused) return refused;
    this.#ran = true;
    if (takesSlot(work)) this.run.running.add(key);
    return undefined;
  }

  enterAgain(): void {
    this.#enterPhase();
  }

  #enterPhase(): void {
    const { frame, work } = this.visit;
    const { phase } = work.step ?? {};
    if (phase !== undefined) this.run.phasesOf(frame).enter(phase);
  }

  ended(...errors: readonly (Raised | undefined)[]): void | Promise<void> {
    this.#ok = errors.every((error) => error === undefined);
    return this.#breakers?.reportAll(...errors);
  }

  release(): void | Promise<void> {
    const { work, key } = this.visit;
    const { spend, running, governance } = this.run;
    const [wasOnBoard, ran] = [this.#onBoard, this.#ran];
    this.#onBoard = false;
    this.#ran = false;
    if (ran) spend.executed(work.name);
    running.delete(key);
    return sequence(
      () => this.#breakers?.giveUp(),
      () => this.#giveSlot(),
      () => (wasOnBoard ? governance.agents.end(work.name, key, ran ? this.#ok : undefined) : undefined),
    );
  }

  async #askPolicies(values: unknown, attempt: number): Promise<Raised | undefined> {
    const { frame, work, key } = this.visit;
    const files = this.run.policiesFor(frame);
    if (files.length === 0) return undefined;
    const hasModules = files.some((file) => file.hasModules);
    const asksAvailability = !work.isContainer && (hasModules || files.some((file) => file.asksAvailability));
    const agentState = asksAvailability ? await this.#agentState(values) : undefined;
    const countsSteps = hasModules || files.some(({ slots }) => slots !== undefined);
    const elsewhere = countsSteps ? await this.#runningElsewhere() : 0;
    const context = this.#context(values, attempt, agentState, elsewhere);
    const verdicts = await this.#verdicts(files, context);
    const denial = verdicts.find((verdict) => !verdict.allowed);
    noteFor(this.visit, "policy_evaluated", { node: work.name, key, attempt, allowed: denial === undefined, verdicts });
    if (!denial) return undefined;
    const { policyName: policy, reason = "it gave no reason", metadata = {} } = denial;
    const message = `the policy ${policy} refused ${work.name}: ${reason}`;
    return raised("policy.denied", message, { policy, reason, metadata });
  }

  /** Of each policy, the callers' first. */
  async #verdicts(files: ReturnType<GuardedRun["policiesFor"]>, context: AttemptContext): Promise<RecordedVerdict[]> {
    const given = this.run.governance.verdictOn?.(context);
    if (given) return [given];
    const verdicts: RecordedVerdict[] = [];
    for (const { engine, entries } of files)
      for (const [index, verdict] of (await engine.evaluateAll(context)).entries()) {
        const { module, policy } = entries[index] ?? {};
        verdicts.push({
          ...verdict,
          ...(module === undefined ? {} : { module }),
          ...(policy === undefined ? {} : { policy }),
        });
      }
    return verdicts;
  }

  /** Steps of other runs, of which only their number is known. */
  async #runningElsewhere(): Promise<number> {
    const taken = await this.run.governance.slots.taken();
    return Math.max(0, taken - this.run.running.size);
  }

  #context(
    values: unknown,
    attempt: number,
    agentState: PolicyContext["agent_state"],
    elsewhere: number,
  ): AttemptContext {
    const { frame, work, key } = this.visit;
    const { engine, inputs, path } = frame;
    const { name, type, timeoutSeconds: timeout, step } = work;
    const { spend, running } = this.run;
    const phases = this.run.phasesOf(frame);
    const known = timeout === undefined ? {} : { timeout };
    const intent = step ? stepTypeOf(step).intent?.(values, step) : undefined;
    return {
      step: { name, type, path, ...(step?.phase === undefined ? {} : { phase: step.phase }), ...known, ...intent },
      task: { name, type, key, attempt, ...known },
      workflow_state: { ...(phases.current === undefined ? {} : { phase: phases.current }), ...phases.counts },
      ...(agentState ? { agent_state: agentState } : {}),
      agent_states: Object.fromEntries([...running, ...names(elsewhere)].map((one) => [one, "running"])),
      spend: { usd: engine.durable.recall.spentUsd + spend.usd, estimate_usd: spend.estimate(name) },
      inputs,
      root_inputs: frame.root.inputs,
      run_id: engine.durable.runId,
    };
  }

  async #agentState(values: unknown): Promise<PolicyContext["agent_state"]> {
    const { frame, work, key } = this.visit;
    const { governance } = this.run;
    const state = await governance.agents.begin(work.name, key);
    this.#onBoard = state.running_in.length === 0;
    const target = breakerTarget(this.visit, values) ?? stepTypeOf(work).target?.(values);
    const section = frame.resilience?.circuit_breaker;
    if (!target || !section) return { ...state };
    return { ...state, breaker: (await governance.breaker(target, section).state).status };
  }

  #giveSlot(): void | Promise<void> {
    const free = this.#freeSlot;
    this.#freeSlot = undefined;
    return free?.();
  }

  async #takeSlot(): Promise<void> {
    const { frame, work, signal } = this.visit;
    if (!takesSlot(work)) return;
    const limits = this.run.policiesFor(frame).flatMap(({ slots }) => slots ?? []);
    if (limits.length === 0) return;
    this.#freeSlot = await this.run.governance.slots.acquire(Math.min(...limits), signal);
  }
}

const takesSlot = (work: Visit["work"]): boolean => stepTypeOf(work).occupies === undefined;

/** The target of the breaker that the whole attempt is under. What an agent calls is asked call by call, in the providers. */
function breakerTarget({ frame, work }: Visit, values: unknown): string | undefined {
  const section = frame.resilience?.circuit_breaker;
  const type = stepTypeOf(work);
  if (!section || type.occupies === "nothing") return undefined;
  if (section.scope === "step") return `step:${frame.name}/${work.name}`;
  return type.asksBreakers ? undefined : type.target?.(values);
}
