// One attempt on its way through the guard: policies are asked, a place is waited for, breakers are asked; afterwards
// all of them are told, whatever happened.
import { type Raised, raised } from "../../errors/index.ts";
import { httpTarget, mcpTarget, modelTarget } from "../../steps/targets.ts";
import type { Frame } from "../frame.ts";
import type { Visit } from "../visit/prepare.ts";
import type { Work } from "../visit/work.ts";
import { AttemptBreakers } from "./call-breakers.ts";
import type { Guard } from "./guard.ts";
import type { BreakerStatus } from "./resilience/breaker-state.ts";
import type { PolicyContext, PolicyResult } from "./resilience/policy.ts";

/** What waits for people or time, or ends the run, takes no place and calls nothing. */
const UNGUARDED: ReadonlySet<string> = new Set(["human_gate", "questions", "terminate"]);
const SLOTLESS: ReadonlySet<string> = new Set([...UNGUARDED, "wait"]);

export class Passing {
  readonly #guard: Guard;
  readonly #frame: Frame;
  readonly #work: Work;
  readonly #at: Visit;
  readonly breakers: AttemptBreakers | undefined;
  #freeSlot: (() => void) | undefined;
  #onBoard = false;
  #ran = false;
  #ok: boolean | undefined;

  constructor(guard: Guard, frame: Frame, work: Work, at: Visit) {
    this.#guard = guard;
    this.#frame = frame;
    this.#work = work;
    this.#at = at;
    const section = frame.workflow.definition.workflow.resilience?.circuit_breaker;
    this.breakers = section ? new AttemptBreakers(frame, guard.governance, section) : undefined;
  }

  /** For calls that the step makes by itself; a breaker of the step covers them all. */
  get calls(): AttemptBreakers | undefined {
    return this.#frame.workflow.definition.workflow.resilience?.circuit_breaker?.scope === "target"
      ? this.breakers
      : undefined;
  }

  /** How the breaker of what was called stands now. */
  get breaker(): BreakerStatus | undefined {
    return this.breakers?.status;
  }

  /** Why the attempt must not be made; nothing when it may. Waits for a place if there is a limit. */
  async enter(values: unknown, attempt: number): Promise<Raised | undefined> {
    const denied = await this.#askPolicies(values, attempt);
    if (denied) return denied;
    const { phase } = this.#work.step ?? {};
    if (phase !== undefined) this.#guard.phasesOf(this.#frame).enter(phase);
    await this.#takeSlot();
    const target = this.#target(values);
    const refused = target === undefined ? undefined : this.breakers?.admit(target);
    if (refused) return refused;
    this.#ran = true;
    this.#guard.running.add(this.#at.key);
    return undefined;
  }

  /** How the attempt ended, as its executor said it and as the step's own rules made it; nothing when it went well. */
  heard(...errors: readonly (Raised | undefined)[]): void {
    this.#ok = errors.every((error) => error === undefined);
    this.breakers?.reportAll(...errors);
  }

  /** Always called, also when the run breaks: places are free again, probes are given back. */
  leave(): void {
    this.breakers?.giveUp();
    this.#freeSlot?.();
    this.#freeSlot = undefined;
    if (this.#onBoard)
      this.#guard.governance.agents.end(this.#work.name, this.#at.key, this.#ran ? this.#ok : undefined);
    this.#onBoard = false;
    if (this.#ran) this.#guard.spend.executed(this.#work.name);
    this.#guard.running.delete(this.#at.key);
    this.#ran = false;
  }

  async #askPolicies(values: unknown, attempt: number): Promise<Raised | undefined> {
    const files = this.#guard.policiesFor(this.#frame);
    if (files.length === 0) return undefined;
    const context = this.#context(
      values,
      attempt,
      files.some(({ asksAvailability }) => asksAvailability),
    );
    const verdicts: PolicyResult[] = [];
    for (const { engine } of files) verdicts.push(...(await engine.evaluateAll(context)));
    const denial = verdicts.find((verdict) => !verdict.allowed);
    const { durable } = this.#frame.engine;
    durable.note(this.#frame.path, "policy_evaluated", {
      node: this.#work.name,
      allowed: denial === undefined,
      verdicts,
    });
    if (!denial) return undefined;
    const { policyName: policy, reason = "it gave no reason", metadata = {} } = denial;
    return raised("policy.denied", `the policy ${policy} refused ${this.#work.name}: ${reason}`, {
      policy,
      reason,
      metadata,
    });
  }

  #context(values: unknown, attempt: number, asksAvailability: boolean): PolicyContext {
    const { engine, inputs } = this.#frame;
    const { name, type, timeoutSeconds: timeout, step } = this.#work;
    const phases = this.#guard.phasesOf(this.#frame);
    const known = timeout === undefined ? {} : { timeout };
    return {
      step: { name, type, ...(step?.phase === undefined ? {} : { phase: step.phase }), ...known },
      task: { name, type, key: this.#at.key, attempt, ...known },
      workflow_state: { ...(phases.current === undefined ? {} : { phase: phases.current }), ...phases.counts },
      ...(asksAvailability ? { agent_state: this.#agentState(values) } : {}),
      agent_states: Object.fromEntries([...this.#guard.running].map((key) => [key, "running"])),
      spend: {
        usd: engine.durable.recall.spentUsd + this.#guard.spend.usd,
        estimate_usd: this.#guard.spend.estimate(name),
      },
      inputs,
      run_id: engine.durable.runId,
    };
  }

  #agentState(values: unknown): PolicyContext["agent_state"] {
    const { governance } = this.#guard;
    const state = governance.agents.begin(this.#work.name, this.#at.key);
    this.#onBoard = state.running_in.length === 0;
    const target = this.#target(values) ?? agentTarget(this.#work.type, values);
    const section = this.#frame.workflow.definition.workflow.resilience?.circuit_breaker;
    const breaker = target && section ? governance.breaker(target, section).state.status : undefined;
    return { ...state, ...(breaker ? { breaker } : {}) };
  }

  async #takeSlot(): Promise<void> {
    if (SLOTLESS.has(this.#work.type)) return;
    const limits = this.#guard.policiesFor(this.#frame).flatMap(({ slots }) => slots ?? []);
    if (limits.length === 0) return;
    this.#freeSlot = await this.#guard.governance.slots.acquire(Math.min(...limits), this.#at.signal);
  }

  /** The breaker that the whole attempt stands under. What an agent calls is asked call by call, in the providers. */
  #target(values: unknown): string | undefined {
    const section = this.#frame.workflow.definition.workflow.resilience?.circuit_breaker;
    if (!section || UNGUARDED.has(this.#work.type)) return undefined;
    if (section.scope === "step") return `step:${this.#frame.name}/${this.#work.name}`;
    const { request, server } = values as { readonly request?: { readonly url?: string }; readonly server?: string };
    if (this.#work.type === "http") return httpTarget(request?.url ?? "");
    return this.#work.type === "mcp" ? mcpTarget(server ?? "") : undefined;
  }
}

/** The first model of an agent's list, when it names one. */
function agentTarget(type: string, values: unknown): string | undefined {
  if (type !== "agent") return undefined;
  const { request } = values as {
    readonly request?: { readonly provider: string; readonly models: readonly string[] };
  };
  const model = request?.models[0];
  return request && model ? modelTarget(request.provider, model) : undefined;
}
