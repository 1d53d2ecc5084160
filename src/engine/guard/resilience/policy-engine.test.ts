import { describe, expect, it } from "vitest";
import { AgentAvailability, MaxConcurrentTasks, PhaseGate, SpendLimit, TaskTimeout } from "./policies.ts";
import { type Policy, type PolicyContext, PolicyEngine, type PolicyResult, PolicyViolationError } from "./policy.ts";

const says = (name: string, allowed: boolean, asked: string[] = []): Policy => ({
  name,
  description: name,
  evaluate() {
    asked.push(name);
    return { allowed, policyName: name, ...(allowed ? {} : { reason: `${name} says no` }) };
  },
});
const answers = (given: unknown): Policy => ({ name: "odd", description: "", evaluate: () => given as PolicyResult });

describe("a policy engine", () => {
  it("asks in order, each once, and gives every verdict", async () => {
    const asked: string[] = [];
    const engine = new PolicyEngine([says("a", true, asked), says("b", false, asked)]).register(says("c", true, asked));
    const verdicts = await engine.evaluateAll({});
    expect(verdicts.map(({ policyName, allowed }) => [policyName, allowed])).toEqual([
      ["a", true],
      ["b", false],
      ["c", true],
    ]);
    expect(asked).toEqual(["a", "b", "c"]);
  });

  it("throws on the first denial, and asks nobody after it", async () => {
    const asked: string[] = [];
    const engine = new PolicyEngine([says("a", false, asked), says("b", false, asked)]);
    await expect(engine.enforce({})).rejects.toThrow(PolicyViolationError);
    await expect(engine.enforce({})).rejects.toThrow("the policy a refused: a says no");
    expect(asked).toEqual(["a", "a"]);
    expect(await engine.check({})).toBe(false);
    await expect(new PolicyEngine().enforce({})).resolves.toBeUndefined();
  });

  it("hands out copies, and unregisters by name", () => {
    const engine = new PolicyEngine([says("a", true), says("b", true)]);
    engine.policies.push(says("c", false));
    expect(engine.policies.map(({ name }) => name)).toEqual(["a", "b"]);
    expect([engine.unregister("a"), engine.unregister("a")]).toEqual([true, false]);
    expect(engine.policies.map(({ name }) => name)).toEqual(["b"]);
  });

  it.each([undefined, null, "yes", 1, {}, { allowed: "yes" }, []])("takes %j for a denial", async (given) => {
    const [verdict] = await new PolicyEngine([answers(given)]).evaluateAll({});
    expect(verdict).toMatchObject({ allowed: false, policyName: "odd", reason: expect.stringContaining("instead of") });
  });

  it("takes an exception for a denial, with its message and the error in the metadata", async () => {
    const broken: Policy = {
      name: "x",
      description: "",
      evaluate: () => Promise.reject(new TypeError("no such host")),
    };
    const [verdict] = await new PolicyEngine([broken]).evaluateAll({});
    expect(verdict).toEqual({
      allowed: false,
      policyName: "x",
      reason: "no such host",
      metadata: { error: { name: "TypeError", message: "no such host" } },
    });
  });
});

const phases = ["build", "ship"];
const ship = { name: "s", type: "set", phase: "ship" };
const state = (completed: number, failed: number, phase = "build") => ({ phase, completed, failed });
const free = { running_in: [], last_failed: false };

describe("the built-in policies", () => {
  it.each<[string, Policy, PolicyContext, boolean]>([
    ["fewer run than may", new MaxConcurrentTasks({ max: 2 }), { agent_states: { a: "running", b: "idle" } }, true],
    ["as many run as may", new MaxConcurrentTasks({ max: 2 }), { agent_states: { a: "running", b: "running" } }, false],
    ["five by default", new MaxConcurrentTasks(), { agent_states: { a: "running" } }, true],
    ["a timeout at the limit", new TaskTimeout(), { task: { timeout: 3600 } }, true],
    ["a timeout above it", new TaskTimeout(), { task: { timeout: 3600.5 } }, false],
    ["a timeout of 0", new TaskTimeout(), { task: { timeout: 0 } }, false],
    ["a negative timeout", new TaskTimeout(), { task: { timeout: -1 } }, false],
    [
      "staying in a phase",
      new PhaseGate({ phases }),
      { step: { ...ship, phase: "build" }, workflow_state: state(0, 9) },
      true,
    ],
    ["leaving with enough", new PhaseGate({ phases }), { step: ship, workflow_state: state(4, 1) }, true],
    ["leaving with too little", new PhaseGate({ phases }), { step: ship, workflow_state: state(3, 1) }, false],
    [
      "leaving with nothing done",
      new PhaseGate({ phases, min_success_rate: 0 }),
      { step: ship, workflow_state: state(0, 0) },
      false,
    ],
    [
      "going back",
      new PhaseGate({ phases }),
      { step: { ...ship, phase: "build" }, workflow_state: state(0, 9, "ship") },
      true,
    ],
    [
      "a step without a phase",
      new PhaseGate({ phases }),
      { step: { name: "x", type: "set" }, workflow_state: state(0, 9) },
      true,
    ],
    ["the first phase", new PhaseGate({ phases }), { step: ship, workflow_state: { completed: 0, failed: 0 } }, true],
    ["a free agent", new AgentAvailability(), { agent_state: free }, true],
    ["an agent busy elsewhere", new AgentAvailability(), { agent_state: { ...free, running_in: ["r"] } }, false],
    [
      "one that failed, breaker open",
      new AgentAvailability(),
      { agent_state: { ...free, last_failed: true, breaker: "open" } },
      false,
    ],
    [
      "one that failed, half-open",
      new AgentAvailability(),
      { agent_state: { ...free, last_failed: true, breaker: "half_open" } },
      false,
    ],
    [
      "one that failed, breaker closed",
      new AgentAvailability(),
      { agent_state: { ...free, last_failed: true, breaker: "closed" } },
      true,
    ],
    ["one that failed, no breaker", new AgentAvailability(), { agent_state: { ...free, last_failed: true } }, true],
    ["within the budget", new SpendLimit({ usd: 5 }), { spend: { usd: 4.5, estimate_usd: 0.5 } }, true],
    ["beyond it with the estimate", new SpendLimit({ usd: 5 }), { spend: { usd: 4.5, estimate_usd: 0.6 } }, false],
    ["an estimate that is not known", new SpendLimit({ usd: 5 }), { spend: { usd: 5, estimate_usd: null } }, true],
  ])("%s", (_, policy, context, allowed) => {
    const verdict = policy.evaluate(context) as PolicyResult;
    expect(verdict.allowed).toBe(allowed);
    if (!allowed) expect(verdict.reason).toMatch(/./);
  });

  it.each([
    new MaxConcurrentTasks(),
    new TaskTimeout(),
    new PhaseGate(),
    new AgentAvailability(),
    new SpendLimit({ usd: 1 }),
  ])("$name allows when the context lacks what it looks at, and says so", async (policy) => {
    expect(await policy.evaluate({})).toMatchObject({ allowed: true, metadata: { skipped: expect.any(String) } });
  });
});

describe("states as other systems write them", () => {
  it.each([
    [new MaxConcurrentTasks({ max: 1 }), { agent_states: { a: "RUNNING" } }, false],
    [new MaxConcurrentTasks({ max: 1 }), { agent_states: { a: "IDLE" } }, true],
    [new AgentAvailability(), { agent_state: "RUNNING" }, false],
    [new AgentAvailability(), { agent_state: "Failed" }, false],
    [new AgentAvailability(), { agent_state: "idle" }, true],
    [new MaxConcurrentTasks({ max: 1 }), { agent_states: { a: { status: "RUNNING" } } }, false],
    [new MaxConcurrentTasks({ max: 1 }), { agent_states: { a: { status: "idle" } } }, true],
    [new AgentAvailability(), { agent_state: { status: "Running" } }, false],
    [new AgentAvailability(), { agent_state: { status: "IDLE" } }, true],
    [new TaskTimeout(), { task: { timeout: null } }, true],
    [new PhaseGate(), { workflow_state: { completed: 4, failed: 1 } }, true],
    [new PhaseGate(), { workflow_state: { completed: 3, failed: 1 } }, false],
    [new PhaseGate(), { workflow_state: { completed: 0, failed: 0 } }, false],
    [new PhaseGate(), { workflow_state: { phase: "build", completed: 3, failed: 1 } }, false],
  ])("%o", async (policy, context, is) => {
    expect(await new PolicyEngine([policy]).check(context)).toBe(is);
  });

  it("says skipped where a phase gate has nothing to judge", async () => {
    const engine = new PolicyEngine([new PhaseGate()]);
    const [verdict] = await engine.evaluateAll({
      step: { name: "s", type: "set" },
      workflow_state: { completed: 0, failed: 1 },
    });
    expect(verdict).toMatchObject({ allowed: true, metadata: { skipped: "workflow_state.phase" } });
    expect(await engine.evaluate({})).toEqual({ allowed: true, policyName: "all" });
  });
});
