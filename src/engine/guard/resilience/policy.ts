// What a policy is, and the engine that asks all policies in the order of their registration. A policy that throws or
// answers nonsense counts as a denial.
import { calledWrong } from "../../../base/errors/called-wrong.ts";
import { isMapping } from "../../../base/errors/mapping.ts";
import type { StepIntent } from "../../../steps/intent.ts";

export interface Policy {
  readonly name: string;
  readonly description: string;
  evaluate(context: PolicyContext): PolicyResult | Promise<PolicyResult>;
}

/** A type, not an interface: verdicts are recorded as plain data. */
export type PolicyResult = {
  readonly allowed: boolean;
  readonly policyName: string;
  readonly reason?: string;
  /** `skipped` says which part of the context was missing: the caller's gap is not the step's fault. */
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** Everything is optional: a policy that lacks what it looks at allows, and says so. */
export interface PolicyContext {
  /** What is about to be done, templates rendered. */
  readonly step?: StepIntent & {
    readonly name: string;
    readonly type: string;
    /** The steps that call the step's workflow, from the root's file on; empty in the root's file. */
    readonly path?: readonly string[];
    readonly phase?: string;
    /** Seconds. */
    readonly timeout?: number;
  };
  readonly task?: Readonly<Record<string, unknown>> & { readonly timeout?: number | null };
  readonly workflow_state?: {
    /** The phase that the workflow is in; absent before the first step that has one. */
    readonly phase?: string;
    /** Steps and items of that phase. One that raised and was recovered counts as failed. */
    readonly completed: number;
    readonly failed: number;
  };
  readonly agent_state?: AgentState | StateOfOthers;
  /** What runs now, by name: `"running"`. */
  readonly agent_states?: Readonly<Record<string, StateOfOthers>>;
  readonly spend?: { readonly usd: number; readonly estimate_usd: number | null };
  /** Of the step's own workflow. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Of the workflow that was started. */
  readonly root_inputs?: Readonly<Record<string, unknown>>;
  readonly run_id?: string;
}

/** What the engine shows of an attempt. */
export interface AttemptContext extends PolicyContext {
  readonly step: NonNullable<PolicyContext["step"]> & { readonly path: readonly string[] };
  readonly task: NonNullable<PolicyContext["task"]> & { readonly key: string; readonly attempt: number };
}

/** A state as other systems write it: `RUNNING`, `failed`, `{ status: "idle" }`. */
export type StateOfOthers = string | { readonly status: string };

export interface AgentState {
  /** Other runs that run this agent now. */
  readonly running_in: readonly string[];
  readonly last_failed: boolean;
  readonly breaker?: "closed" | "open" | "half_open";
}

export const allowed = (policyName: string, metadata?: PolicyResult["metadata"]): PolicyResult =>
  metadata ? { allowed: true, policyName, metadata } : { allowed: true, policyName };

export const denied = (policyName: string, reason: string, metadata?: PolicyResult["metadata"]): PolicyResult =>
  metadata ? { allowed: false, policyName, reason, metadata } : { allowed: false, policyName, reason };

/** The context lacks what the policy looks at. */
export const skipped = (policyName: string, missing: string): PolicyResult => allowed(policyName, { skipped: missing });

/** The number among the settings of a policy that is made in code; a file's settings have been checked. */
export function numberOf(policy: string, name: string, settings: unknown, otherwise?: number): number {
  const given = (settings ?? {}) as Readonly<Record<string, unknown>>;
  const value = given[name] ?? otherwise;
  const isKnown = settings !== null && Object.keys(given).every((key) => key === name || key === "phases");
  if (isKnown && typeof value === "number" && value >= 0) return value;
  throw calledWrong(`new ${policy} takes { ${name}: a number, 0 or more }`);
}

/** The status in lower case: other systems write `RUNNING`. */
export const stateStatus = (state: StateOfOthers): string =>
  (typeof state === "string" ? state : state.status).toLowerCase();

/** Thrown by `enforce`: what a policy objected to. */
export class PolicyViolationError extends Error {
  constructor(readonly result: PolicyResult) {
    super(`the policy ${result.policyName} refused: ${result.reason ?? "it gave no reason"}`);
    this.name = "PolicyViolationError";
  }
}

/**
 * A list of policies and the ways to ask them.
 *
 * @example
 * const engine = new PolicyEngine([new TaskTimeout({ max_seconds: 600 })]);
 * engine.register(definePolicy({ name: "no_agents", evaluate: ({ step }) => step?.type !== "agent" || "no agents here" }));
 * await engine.enforce({ step: { name: "deploy", type: "script" }, task: { timeout: 300 } });
 */
export class PolicyEngine {
  #policies: readonly Policy[];

  constructor(policies: readonly Policy[] = []) {
    if (!Array.isArray(policies)) throw calledWrong("PolicyEngine takes a list of policies");
    for (const policy of policies) requirePolicy(policy);
    this.#policies = [...policies];
  }

  register(policy: Policy): this {
    requirePolicy(policy);
    this.#policies = [...this.#policies, policy];
    return this;
  }

  /** Removes every policy of that name; false when there is none. */
  unregister(name: string): boolean {
    const before = this.#policies.length;
    this.#policies = this.#policies.filter((policy) => policy.name !== name);
    return this.#policies.length < before;
  }

  /** A copy: changing it changes nothing here. */
  get policies(): Policy[] {
    return [...this.#policies];
  }

  /** Every verdict, in order. */
  async evaluateAll(context: PolicyContext): Promise<readonly PolicyResult[]> {
    const verdicts: PolicyResult[] = [];
    for (const policy of this.#policies) verdicts.push(await verdictOf(policy, context));
    return verdicts;
  }

  /** One verdict for all: the first denial, else that it is allowed. */
  async evaluate(context: PolicyContext): Promise<PolicyResult> {
    for (const policy of this.#policies) {
      const verdict = await verdictOf(policy, context);
      if (!verdict.allowed) return verdict;
    }
    return { allowed: true, policyName: "all" };
  }

  /** Throws on the first denial; those after it are not asked. */
  async enforce(context: PolicyContext): Promise<void> {
    const verdict = await this.evaluate(context);
    if (!verdict.allowed) throw new PolicyViolationError(verdict);
  }

  async check(context: PolicyContext): Promise<boolean> {
    return (await this.evaluate(context)).allowed;
  }
}

function requirePolicy(policy: Policy): void {
  if (typeof policy?.name !== "string" || typeof policy.evaluate !== "function")
    throw calledWrong("a policy has a `name` and a function `evaluate`: make one with definePolicy");
}

async function verdictOf(policy: Policy, context: PolicyContext): Promise<PolicyResult> {
  if (!isMapping(context)) throw calledWrong("policies are asked about an object, such as { task: { timeout: 60 } }");
  try {
    return readVerdict(policy.name, await policy.evaluate(context));
  } catch (problem) {
    const { name, message } = problem instanceof Error ? problem : { name: typeof problem, message: String(problem) };
    return denied(policy.name, message || `it threw ${name}`, { error: { name, message } });
  }
}

/** A verdict as a policy gave it; what is none denies. */
export function readVerdict(name: string, given: unknown): PolicyResult {
  const said = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : undefined;
  if (typeof said?.allowed !== "boolean") {
    const shown = JSON.stringify(given)?.slice(0, 200) ?? String(given);
    return denied(name, `it answered ${shown} instead of {allowed: true} or {allowed: false, reason}`, {
      answer: shown,
    });
  }
  const { allowed, policyName, reason, metadata } = said;
  return {
    allowed,
    policyName: typeof policyName === "string" && policyName !== "" ? policyName : name,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof metadata === "object" && metadata !== null ? { metadata: metadata as PolicyResult["metadata"] } : {}),
  };
}
