// Money: what a run may spend, over calls, children, groups and resumes.
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { modelPlayground, ONE_DOLLAR } from "./model.ts";

const play = modelPlayground();

/** Three agents in a row, a dollar each. */
const chain = (limits: string, cost = ONE_DOLLAR): string => `
workflow:
  name: chain
  entry_point: a
  runtime: { provider: claude, default_model: m }
  limits: { ${limits} }
  ${cost}
agents:
  - { name: a, prompt: one, routes: [{ to: b }] }
  - { name: b, prompt: two, routes: [{ to: c }] }
  - { name: c, prompt: three }
output: { text: "{{ c.output.result }}" }
`;

const exceeded = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "budget_exceeded" ? [event.data] : []));

describe("a budget", () => {
  it("that is audited warns, and again at each further multiple", async () => {
    play().write({ "main.yaml": chain("budget_usd: 0.9") });
    const { result, events } = await play().run("main.yaml");
    expect(result).toMatchObject({ status: "completed", metrics: { total_cost_usd: 3 } });
    expect(exceeded(events).map((one) => one.spent_usd)).toEqual([1, 2, 3]);
    expect(result.warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("more than its budget"),
    );
  });

  it("that is enforced stops the run after the step that broke it, and keeps what was paid for", async () => {
    play().write({ "main.yaml": chain("budget_usd: 1.5, budget_mode: enforce") });
    const { result, events } = await play().run("main.yaml");
    expect(result).toMatchObject({
      status: "failed",
      exit_code: 1,
      errors: [{ kind: null, error_type: "BudgetExceededError", category: "policy", node_id: "b" }],
      checkpoint: { completed_nodes: ["a", "b"], resumable: true },
      metrics: { total_cost_usd: 2 },
    });
    expect(exceeded(events)).toMatchObject([
      { budget_usd: 1.5, spent_usd: 2, budget_mode: "enforce", agent_name: "b" },
    ]);
    expect(play().requests).toHaveLength(2);
  });

  it("is not broken by spending all of it", async () => {
    play().write({ "main.yaml": chain("budget_usd: 3, budget_mode: enforce") });
    expect((await play().run("main.yaml")).result.status).toBe("completed");
  });

  it("goes on over resumes: nothing more is paid until it is raised, and what is done is not paid again", async () => {
    play().write({ "main.yaml": chain("budget_usd: 1.5, budget_mode: enforce") });
    const { result } = await play().run("main.yaml");
    const id = result.run_id ?? "";
    const again = await play().resume(id);
    expect(again.result.errors).toMatchObject([{ error_type: "BudgetExceededError", node_id: "c" }]);
    expect(again.result.checkpoint?.completed_nodes).toEqual(["a", "b"]);
    expect(play().requests).toHaveLength(2);
    play().write({ "main.yaml": chain("budget_usd: 2.5, budget_mode: enforce") });
    const third = await play().resume(id);
    expect(third.result).toMatchObject({ status: "failed", metrics: { total_cost_usd: 3 } });
    play().write({ "main.yaml": chain("budget_usd: 5, budget_mode: enforce") });
    const last = await play().resume(id);
    expect(last.result).toMatchObject({ status: "completed", output: { text: "ok" } });
    expect(play().requests).toHaveLength(3);
  });

  it("that is used up is where a resume would stop, as `explain` says, until it is raised", async () => {
    play().write({ "main.yaml": chain("budget_usd: 1.5, budget_mode: enforce") });
    const run = (await play().run("main.yaml")).result.run_id ?? "";
    const used = await explainRun(play().session, { run });
    expect(used.resume?.stops).toEqual({ limit: "budget_usd", allowed: 1.5, node_id: "c" });
    play().write({ "main.yaml": chain("budget_usd: 5, budget_mode: enforce") });
    const raised = await explainRun(play().session, { run });
    expect(raised.resume).toMatchObject({ reused: ["a", "b"], runs: [{ node_id: "c" }] });
    expect(raised.resume).not.toHaveProperty("stops");
    expect(raised.next).toEqual([`The limit has been raised. To go on: segno resume ${run}`]);
  });

  it("counts what retries, re-prompts and judges cost", async () => {
    const said = ["no json", { ok: true }, { passed: true, issues: [] }];
    play().answer = ({ index }) => {
      const next = said[index];
      return typeof next === "string" ? next : { json: next };
    };
    play().write({
      "main.yaml": `
workflow: { name: w, entry_point: a, runtime: { provider: claude, default_model: m }, ${ONE_DOLLAR} }
agents:
  - { name: a, prompt: one, output: { ok: { type: boolean } }, validator: { criteria: it is so } }
`,
    });
    const { result, events } = await play().run("main.yaml");
    expect(result).toMatchObject({
      status: "completed",
      metrics: { total_cost_usd: 3, tokens: { input: 30 } },
      execution: { steps: [{ node_id: "a", cost_usd: 3 }] },
    });
    const purposes = events.flatMap((event) => (event.type === "agent_usage" ? [event.data.purpose] : []));
    expect(purposes).toEqual(["answer", "recovery", "validator"]);
  });

  it("is not kept by not looking: a model without a price is said, and costs nothing that is known", async () => {
    play().write({ "main.yaml": chain("budget_usd: 0.5, budget_mode: enforce", "cost: {}") });
    const { result } = await play().run("main.yaml");
    expect(result).toMatchObject({
      status: "completed",
      metrics: { total_cost_usd: null, unpriced_models: ["m"], by_model: { m: { cost_usd: null } } },
    });
    expect(result.warnings.filter(({ message }) => message.includes("no price is known for m"))).toHaveLength(1);
  });
});

describe("in a family", () => {
  const child = (limits: string): string => `
workflow: { name: child, entry_point: x, limits: { ${limits} } }
agents:
  - { name: x, prompt: one, routes: [{ to: y }] }
  - { name: y, prompt: two, routes: [{ to: z }] }
  - { name: z, prompt: three }
`;
  const parent = (limits: string, routes = ""): string => `
workflow:
  name: parent
  entry_point: call
  runtime: { provider: claude, default_model: m }
  limits: { ${limits} }
  ${ONE_DOLLAR}
agents:
  - { name: call, type: workflow, workflow: ./child.yaml, routes: [{ to: after }${routes}] }
  - { name: after, type: set, value: done }
  - { name: poor, type: set, value: "{{ error.details.error_type }}" }
output: { end: "{{ poor.output if poor is defined else after.output }}" }
`;

  it("a child's own budget is an error of the step that called it", async () => {
    play().write({
      "main.yaml": parent("budget_usd: 100, budget_mode: enforce", ", { on_error: subworkflow.failed, to: poor }"),
      "child.yaml": child("budget_usd: 1.5, budget_mode: enforce"),
    });
    const { result } = await play().run("main.yaml");
    expect(result).toMatchObject({ status: "completed", output: { end: "BudgetExceededError" } });
    expect(play().requests).toHaveLength(2);
  });

  it("what a child spends counts for the parent, which stops both, and no route is asked", async () => {
    play().write({
      "main.yaml": parent("budget_usd: 1.5, budget_mode: enforce", ", { on_error: subworkflow.failed, to: poor }"),
      "child.yaml": child("budget_usd: 100"),
    });
    const { result } = await play().run("main.yaml");
    expect(result).toMatchObject({ status: "failed", exit_code: 1, errors: [{ error_type: "BudgetExceededError" }] });
    expect(play().requests).toHaveLength(2);
    play().write({ "main.yaml": parent("budget_usd: 3, budget_mode: enforce") });
    const resumed = await play().resume(result.run_id ?? "");
    expect(resumed.result).toMatchObject({
      status: "completed",
      output: { end: "done" },
      metrics: { total_cost_usd: 3 },
    });
    expect(play().requests).toHaveLength(3);
  });

  it("a child that is resumed has spent what it spent", async () => {
    play().write({
      "main.yaml": parent("budget_usd: 100"),
      "child.yaml": child("budget_usd: 1.5, budget_mode: enforce"),
    });
    const { result } = await play().run("main.yaml");
    expect(result).toMatchObject({ status: "failed", exit_code: 3, errors: [{ kind: "subworkflow.failed" }] });
    await play().resume(result.run_id ?? "");
    expect(play().requests).toHaveLength(2);
  });

  it("a group is stopped when one of its members breaks the budget", async () => {
    play().write({
      "main.yaml": `
workflow:
  name: fan
  entry_point: fan
  runtime: { provider: claude, default_model: m }
  limits: { max_iterations: 100, budget_usd: 2.5, budget_mode: enforce }
  ${ONE_DOLLAR}
for_each:
  - name: fan
    type: for_each
    source: workflow.input.xs
    as: x
    max_concurrent: 1
    failure_mode: continue_on_error
    agent: { name: one, prompt: "{{ x }}" }
`,
    });
    const inputs = { xs: { value: [1, 2, 3, 4, 5, 6, 7, 8] } };
    const { result } = await play().run("main.yaml", { inputs });
    expect(result).toMatchObject({ status: "failed", errors: [{ error_type: "BudgetExceededError" }] });
    expect(play().requests).toHaveLength(3);
  });
});
