// What a resume builds on: which visits stand, which begin anew, and what of their budgets is left.
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import { remember } from "./recall.ts";

const plan = outline("a", "b");
const story = (): Story => new Story().started(plan);

describe("a visit", () => {
  it("that completed is recalled with its output and hashes", () => {
    const recall = remember(story().ran("a", { output: { v: 1 }, more: { definition: "d1" } }).events);
    expect(recall.get("a#1")).toMatchObject({
      attempts: 1,
      started: 1,
      discarded: 0,
      last: { ok: true, output: { v: 1 }, hash: "sha256:a", definition: "d1", elapsed: 0.5 },
    });
    expect(recall.get("b#1")).toBeUndefined();
  });

  it("that failed has its envelope and what took care of it", () => {
    const recall = remember(
      story()
        .begin("a")
        .fail("a", error("a"), { output: { part: 1 } })
        .routed("a", "x", "to", "b").events,
    );
    expect(recall.get("a#1")?.last).toMatchObject({
      ok: false,
      output: { part: 1 },
      error: { kind: "external.git.drift" },
      routed: "to",
    });
  });

  it("that nobody handled begins anew after the run failed, and still knows its definition", () => {
    const told = story()
      .begin("a")
      .fail("a", error("a"), { more: { definition: "d1" } })
      .routed("a", "x", "retry")
      .retry("a");
    told
      .begin("a", { attempt: 2 })
      .fail("a", error("a"), { attempt: 2, more: { definition: "d1" } })
      .unhandled("a", error("a"));
    expect(remember(told.events).get("a#1")).toMatchObject({
      attempts: 0,
      discarded: 2,
      started: 0,
      retried: 1,
      spentRetries: {},
      last: { ok: false, definition: "d1" },
    });
  });

  it("goes on after a crash: attempts, retries used and the wait that is left", () => {
    const told = story().begin("a").fail("a", error("a")).routed("a", "x", "retry").retry("a", 1);
    const { retry, ...rest } = remember(told.events).get("a#1") ?? {};
    expect(rest).toMatchObject({ attempts: 1, discarded: 0, spentRetries: { 1: 1 }, last: { routed: "again" } });
    expect(retry).toMatchObject({ until: Date.parse("2030-01-01T00:01:05.000Z"), attempt: 1, route: 1, by: "route" });
    expect(remember(told.begin("a", { attempt: 2 }).events).get("a#1")).toMatchObject({
      attempts: 1,
      started: 2,
      retry: undefined,
    });
  });

  it("keeps its state when a limit stopped the run in the middle of its retries", () => {
    const told = story()
      .begin("a")
      .fail("a", error("a"))
      .routed("a", "x", "retry")
      .retry("a")
      .stopped("MaxIterationsError", "max_iterations");
    expect(remember(told.events).get("a#1")).toMatchObject({ attempts: 1, discarded: 0, spentRetries: { 1: 1 } });
  });

  it("whose routes failed keeps its outcome, and is a new visit on resume", () => {
    const told = story()
      .ran("a", { output: { v: 1 } })
      .add("error_raised", { node: "a", key: "a#1", error: error("a", "internal.no_route") });
    expect(remember(told.unhandled("a", error("a")).events).get("a#1")).toMatchObject({
      attempts: 0,
      discarded: 1,
      last: { ok: true, output: { v: 1 } },
    });
  });

  it("counts retries of a policy apart from those of routes", () => {
    const told = story().begin("a").fail("a", error("a")).retry("a", 0, { by: "resilience" });
    expect(remember(told.events).get("a#1")?.spentRetries).toEqual({ [-1]: 1 });
  });

  it("of another run's cache has the outcome that was taken over", () => {
    const told = story().reused("a", { more: { from_run: "01OLD", output: { v: 2 } } });
    expect(remember(told.events).get("a#1")?.last).toMatchObject({ ok: true, output: { v: 2 }, hash: "sha256:a" });
  });

  it("names the process that may still run, until it ended", () => {
    const told = story().begin("a").add("script_spawned", { agent_name: "a", key: "a#1", pid: 77, started_at: "then" });
    expect(remember(told.events).get("a#1")?.spawned).toEqual({ pid: 77, started_at: "then" });
    expect(
      remember([...told.events, ...new Story().add("orphan_ended", { agent_name: "a", pid: 77 }).events]).get("a#1")
        ?.spawned,
    ).toBeUndefined();
    expect(remember(told.done("a").events).get("a#1")?.spawned).toBeUndefined();
  });

  it("of a gate has the answer; of questions each answer so far", () => {
    const gate = story().add("gate_resolved", {
      agent_name: "a",
      key: "a#1",
      selected_option: "y",
      route: "b",
      additional_input: { why: "x" },
      answered_by: "cli",
    });
    expect(remember(gate.events).get("a#1")?.answer).toEqual({
      at: "",
      kind: "gate",
      selected: "y",
      route: "b",
      additional_input: { why: "x" },
      answered_by: "cli",
    });
    const questions = story()
      .add("questions_answered", { agent_name: "a", key: "a#1", id: "q1", answer: "yes", source: "choice" })
      .add("questions_answered", { agent_name: "a", key: "a#1", id: "q2", answer: "no", source: "free_text" });
    expect(remember(questions.events).get("a#1")?.answer).toMatchObject({
      answers: { q1: { answer: "yes" }, q2: { answer: "no" } },
    });
  });
});

describe("a failed member", () => {
  const member = { key: "g#1.x", group: "g" } as const;
  const told = (): Story => story().begin("g", { type: "parallel" }).begin("x", member).fail("x", error("x"), member);
  const counts = { group_name: "g", key: "g#1", success_count: 1, failure_count: 1, elapsed: 1 };

  it("stands when its group went on without it, also after a later failure of the run", () => {
    const events = told()
      .add("parallel_completed", { ...counts, failed: false })
      .done("g", { type: "parallel" })
      .begin("b")
      .fail("b", error("b"))
      .unhandled("b", error("b")).events;
    expect(remember(events).get("g#1.x")).toMatchObject({ attempts: 1, discarded: 0, last: { routed: "group" } });
    expect(remember(events).get("b#1")).toMatchObject({ attempts: 0, discarded: 1 });
  });

  it("stands when a route of its group led away", () => {
    const events = told()
      .add("parallel_completed", { ...counts, failed: true })
      .fail("g", error("x"), { type: "parallel" })
      .routed("g", "x", "to", "b").events;
    expect(remember(events).get("g#1.x")?.last?.routed).toBe("group");
  });

  it("begins anew when its group failed the run", () => {
    const events = told()
      .add("parallel_completed", { ...counts, failed: true })
      .fail("g", error("x"), { type: "parallel" })
      .unhandled("g", error("x")).events;
    expect(remember(events).get("g#1.x")).toMatchObject({ attempts: 0, discarded: 1 });
  });
});

describe("the whole run", () => {
  it("remembers budgets of retries by way of another step, by place", () => {
    const told = story()
      .begin("a")
      .fail("a", error("a"))
      .retry("a", 2, { via: "b" })
      .retry("a", 2, { via: "b", key: "a#2" });
    told.within(["plan"], (inner) => inner.retry("a", 0, { via: "b", key: "plan#1/a#1" }));
    const recall = remember(told.events);
    expect([...recall.retryVia]).toEqual([
      ["a:2", 2],
      ["plan/a:0", 1],
    ]);
    expect(recall.get("a#1")).toMatchObject({ spentRetries: {}, retry: { via: "b" } });
  });

  it("counts money and driven time over all drives", () => {
    const told = story()
      .ran("a", { more: { model: "m", cost_usd: 0.5 } })
      .begin("g", { type: "for_each" })
      .unhandled("b", error("b"))
      .wait(1000)
      .resumed(plan);
    told.within(["plan"], (inner) => inner.ran("p", { key: "plan#1/p#1" }));
    const recall = remember(told.events);
    expect(recall).toMatchObject({ spentUsd: 0.5, drives: 2, activeMs: 6000 });
  });
});
