// What a policy is: it looks at what is about to happen and says whether it may.

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
  readonly step?: {
    readonly name: string;
    readonly type: string;
    readonly phase?: string;
    /** Seconds. */
    readonly timeout?: number;
  };
  readonly task?: Readonly<Record<string, unknown>> & { readonly timeout?: number };
  readonly workflow_state?: {
    /** The phase that the workflow is in; absent before the first step that has one. */
    readonly phase?: string;
    /** Steps and items of that phase. One that raised and was recovered counts as failed. */
    readonly completed: number;
    readonly failed: number;
  };
  /** A plain text is the agent's status: `RUNNING`, `failed`, `idle`. */
  readonly agent_state?: AgentState | string;
  /** What runs now, by name: `"running"`. */
  readonly agent_states?: Readonly<Record<string, string>>;
  readonly spend?: { readonly usd: number; readonly estimate_usd: number | null };
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly run_id?: string;
}

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
  throw new TypeError(`new ${policy} takes { ${name}: a number, 0 or more }`);
}

/** In any case: other systems write `RUNNING`. */
export const isRunning = (state: string): boolean => state.toLowerCase() === "running";
