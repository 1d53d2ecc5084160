// What a person sees of a run while it goes and after it ended.
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import { VisitFold } from "../visits/visit-fold.ts";
import { apply, initialState } from "./fold.ts";
import { activeMs, cutOff, failedGroup, membersInOrder, statusOf } from "./read.ts";
import type { NodeState, RunState } from "./state.ts";
import { currentWarnings } from "./warnings.ts";

const fold = ({ events }: Story): RunState => events.reduce(apply, initialState("01RUN"));
const node = (state: RunState, name: string): NodeState => {
  const found = state.root.nodes.get(name);
  if (!found) throw new Error(`no node ${name}`);
  return found;
};
const statuses = (state: RunState): Record<string, string> =>
  Object.fromEntries(
    state.root.outline.nodes.map(({ name }) => [name, statusOf(state, state.root, state.root.nodes.get(name))]),
  );

const plan = outline("a", "b", "c");
const story = (): Story => new Story().started(plan);

describe("steps", () => {
  it("are completed, running or not executed", () => {
    const state = fold(story().ran("a").begin("b"));
    expect(statuses(state)).toEqual({ a: "completed", b: "running", c: "not_executed" });
    expect(node(state, "a")).toMatchObject({
      attempts: 1,
      elapsedMs: 500,
      hash: "sha256:a",
      action: "default",
      cached: false,
    });
    expect(state.executions).toBe(2);
  });

  it("that raised and were retried are completed, with every attempt's time", () => {
    const state = fold(
      story().begin("a").fail("a", error("a")).routed("a", "x", "retry").retry("a").ran("a", { attempt: 2 }),
    );
    expect(node(state, "a")).toMatchObject({
      status: "completed",
      attempts: 2,
      elapsedMs: 750,
      error: null,
      retry: null,
    });
    expect(currentWarnings(state)).toEqual([]);
  });

  it("show the retry that is being waited for", () => {
    const state = fold(story().begin("a").fail("a", error("a")).routed("a", "x", "retry").retry("a"));
    expect(node(state, "a").retry).toMatchObject({ attempt: 1, max: 3, via: null });
    expect(node(state, "a").action).toBe("retry");
  });

  it("whose error a route took are recovered, and the error is a warning", () => {
    const raisedError = error("a");
    const told = story().begin("a").fail("a", raisedError).routed("a", raisedError.kind, "to", "b").ran("b");
    const state = fold(
      told.add("error_recovered", { node: "a", kind: raisedError.kind, by: "b", error: raisedError }).ended(),
    );
    expect(statuses(state)).toEqual({ a: "recovered", b: "completed", c: "not_executed" });
    expect(state.status).toBe("completed");
    expect(currentWarnings(state)).toMatchObject([
      { kind: "recovered", node: "a", by: "b", count: 1, error: { kind: raisedError.kind } },
    ]);
  });

  it("that recovered in a loop keep their latest error as one warning with a count", () => {
    const told = story();
    for (let visit = 1; visit <= 5; visit++)
      told
        .begin("a", { key: `a#${visit}` })
        .fail("a", error("a"), { key: `a#${visit}` })
        .routed("a", "x", "to", "b", `a#${visit}`)
        .ran("b", { key: `b#${visit}` });
    const state = fold(told.ran("a", { key: "a#6" }).ended());
    expect(statuses(state)).toMatchObject({ a: "completed", b: "completed" });
    expect(currentWarnings(state)).toMatchObject([{ node: "a", count: 5 }]);
    expect(state.root.byKey.size).toBe(2);
  });

  it("whose routes failed after a success are failed", () => {
    const state = fold(
      story()
        .ran("a")
        .add("error_raised", { node: "a", key: "a#1", error: error("a", "internal.no_route") }),
    );
    expect(node(state, "a")).toMatchObject({ status: "failed", error: { kind: "internal.no_route" } });
  });

  it("of a script that failed keep what it said", () => {
    const output = { stdout: "out", stderr: "err", exit_code: 7 };
    const told = story()
      .begin("a")
      .add("script_started", { agent_name: "a", command: "sh", args: ["-c", "x"], working_dir: "/" });
    expect(node(fold(told.fail("a", error("a"), { output })), "a").shell).toEqual({
      command: "sh -c x",
      exitCode: 7,
      stdout: "out",
      stderr: "err",
    });
  });
});

it.each(["__proto__", "constructor", "of a later version"])(
  "takes an event of the type %s for none that it knows",
  (type) => {
    const events = story().ran("a").events;
    const last = events.at(-1);
    if (!last) throw new Error("no event");
    const strange = { ...last, seq: last.seq + 1, type } as unknown as typeof last;
    const [without, withIt] = [events, [...events, strange]].map((all) => all.reduce(apply, initialState("01RUN")));
    expect({ ...withIt, seq: without?.seq }).toEqual(without);
    const visits = new VisitFold({ history: true });
    for (const event of [...events, strange]) visits.add(event);
    expect([...visits.visits.keys()]).toEqual(["a#1"]);
  },
);

describe("the end of a run", () => {
  it.each<[string, (told: Story) => Story, Partial<RunState>]>([
    ["completed", (told) => told.ended({ v: 1 }), { status: "completed", output: { v: 1 } }],
    ["degraded", (told) => told.ended({}, { degraded: true }), { status: "degraded" }],
    [
      "terminated well",
      (told) =>
        told.ended({}, { is_explicit: true, status: "success", termination_reason: "done", terminated_by: "b" }),
      { status: "terminated", termination: { status: "success", reason: "done", terminatedBy: "b" }, failure: null },
    ],
    [
      "terminated badly",
      (told) =>
        told.stopped("WorkflowTerminated", "no", "b", {
          resumable: false,
          output: { x: 1 },
          is_explicit: true,
          status: "failed",
          termination_reason: "no",
          terminated_by: "b",
        }),
      { status: "terminated", termination: { status: "failed", reason: "no", terminatedBy: "b" }, output: { x: 1 } },
    ],
    [
      "cancelled",
      (told) => told.add("run_cancelled", { reason: "interrupted", agent_name: "b" }),
      { status: "cancelled", cancelled: { reason: "interrupted", node: "b" } },
    ],
  ])("is %s", (_, tell, expected) => expect(fold(tell(story().ran("a")))).toMatchObject(expected));

  it("leaves a step that was running as what stopped it", () => {
    expect(statuses(fold(story().begin("a").add("run_cancelled", { reason: "x", agent_name: "a" })))).toMatchObject({
      a: "cancelled",
    });
    expect(statuses(fold(story().begin("a").stopped("TimeoutError", "late")))).toMatchObject({ a: "failed" });
  });

  it("is a pause with the question, which an answer takes away", () => {
    const ask = { agent_name: "a", key: "a#1", prompt: "Ship?", options: [{ label: "Yes", value: "y" }] };
    const told = story().begin("a", { type: "human_gate" }).add("gate_presented", ask);
    const paused = fold(told.add("run_paused", { reason: "nobody", gate: {} }));
    expect(paused).toMatchObject({ status: "paused" });
    expect([...paused.gates.values()]).toMatchObject([
      { node: "a", kind: "gate", prompt: "Ship?", options: ask.options },
    ]);
    expect(statuses(paused)).toMatchObject({ a: "paused" });
    const rules = { approvers: ["kim"], not_by: "alex", nor_by: ["sam", "alex"] };
    const restricted = fold(
      story()
        .begin("a", { type: "human_gate" })
        .add("gate_presented", { ...ask, ...rules }),
    );
    expect([...restricted.gates.values()]).toMatchObject([{ approvers: ["kim"], not_by: ["alex", "sam"] }]);
    told.resumed(plan, "paused").begin("a", { type: "human_gate", attempt: 2 }).add("gate_presented", ask);
    const answered = fold(
      told.add("gate_resolved", {
        agent_name: "a",
        key: "a#1",
        selected_option: "y",
        route: null,
        additional_input: {},
        answered_by: "cli",
      }),
    );
    expect(answered.gates.size).toBe(0);
  });
});

describe("a resume", () => {
  it("counts only the time that the run was driven", () => {
    const state = fold(story().ran("a").unhandled("b", error("b")).wait(3600).resumed(plan).ran("b").ended());
    expect(activeMs(state)).toBe(6000);
    expect(state.drives).toBe(2);
  });

  it("counts the time in which no process drove the run only where a wait went on in it", () => {
    const left = () => story().begin("a", { type: "wait" }).wait(60);
    const before = activeMs(fold(left())) ?? 0;
    const waits = { agent_name: "a", key: "a#1", duration_seconds: 90 };
    const goesOn = (more: object) =>
      left()
        .resumed(plan)
        .begin("a")
        .add("wait_started", { ...waits, ...more });
    // The drive that goes on has three events, of which the last two come a second after the one before.
    expect(activeMs(fold(goesOn({})))).toBe(before + 2000);
    expect(activeMs(fold(goesOn({ remaining_seconds: 29 })))).toBe(before + 61_000 + 2000);
    expect(
      activeMs(fold(goesOn({ remaining_seconds: 29 }).add("wait_started", { ...waits, remaining_seconds: 1 }))),
    ).toBe(before + 61_000 + 3000);
  });

  it("does not count it where the run was stopped before", () => {
    const stopped = story()
      .begin("a", { type: "wait" })
      .add("run_cancelled", { reason: "interrupted", agent_name: "a" });
    const before = activeMs(fold(stopped)) ?? 0;
    const waits = { agent_name: "a", key: "a#1", duration_seconds: 90, remaining_seconds: 29 };
    expect(activeMs(fold(stopped.wait(60).resumed(plan).begin("a").add("wait_started", waits)))).toBe(before + 2000);
  });

  it("shows reused steps as cached, with what they took", () => {
    const state = fold(
      story()
        .ran("a")
        .begin("b")
        .fail("b", error("b"))
        .unhandled("b", error("b"))
        .resumed(plan)
        .reused("a")
        .ran("b", { more: { repaired: true } })
        .ended(),
    );
    expect(node(state, "a")).toMatchObject({ status: "completed", cached: true, attempts: 1, elapsedMs: 500 });
    expect(node(state, "b")).toMatchObject({ status: "completed", cached: false, repaired: true, error: null });
    expect(state.failure).toBeNull();
  });

  it("forgets steps that the new course does not reach", () => {
    const told = story()
      .begin("a")
      .fail("a", error("a"))
      .routed("a", "x", "to", "b")
      .begin("b")
      .fail("b", error("b"))
      .unhandled("b", error("b"));
    const state = fold(told.resumed(plan).ran("a").ended());
    expect(statuses(state)).toEqual({ a: "completed", b: "not_executed", c: "not_executed" });
    expect(currentWarnings(state)).toEqual([]);
  });

  describe("that stops before it comes to steps that an earlier drive completed", () => {
    const failed = () => story().ran("a").ran("b").begin("c").fail("c", error("c")).unhandled("c", error("c"));
    const before = { a: "not_executed", b: "completed", c: "not_executed" };

    it("has them as completed when it failed, was stopped or was cut off", () => {
      const stopped = failed().resumed(plan).unhandled("a", error("a"));
      expect(statuses(fold(stopped))).toEqual({ ...before, a: "completed" });
      const cut = cutOff(fold(failed().resumed(plan).reused("a")));
      expect(statuses(cut)).toEqual({ ...before, a: "completed" });
    });

    it("does not have them once the drive passed by them", () => {
      const passed = failed().resumed(plan).reused("a").begin("c").fail("c", error("c")).unhandled("c", error("c"));
      expect(statuses(fold(passed))).toEqual({ a: "completed", b: "not_executed", c: "failed" });
    });

    it("does not have them once a completed step before them ran anew, in this drive or in one before", () => {
      const anew = () => failed().resumed(plan).begin("a").fail("a", error("a")).unhandled("a", error("a"));
      expect(statuses(fold(anew()))).toEqual({ ...before, a: "failed", b: "not_executed" });
      expect(statuses(cutOff(fold(anew().resumed(plan).ran("a"))))).toMatchObject({
        a: "completed",
        b: "not_executed",
      });
    });

    it("does not have them once it ran a step that there was not, or a member of a group, before them", () => {
      const other = failed()
        .resumed(outline("a", "b", "c", "z"))
        .reused("a")
        .begin("z")
        .fail("z", error("z"));
      expect(statuses(fold(other.unhandled("z", error("z"))))).toMatchObject({ b: "not_executed", z: "failed" });
      const member = failed()
        .resumed(plan)
        .begin("a", { type: "parallel" })
        .add("parallel_started", { group_name: "a", key: "a#1", agents: ["x"], max_concurrent: 1 })
        .add("parallel_agent_started", { group_name: "a", agent_name: "x" })
        .begin("x", { key: "a#1.x", group: "a" });
      expect(statuses(cutOff(fold(member)))).toMatchObject({ a: "cut_off", b: "not_executed" });
    });

    it("does not have them while it goes on, or after it was told to start anew", () => {
      expect(statuses(fold(failed().resumed(plan).reused("a")))).toEqual({
        a: "completed",
        b: "not_executed",
        c: "not_executed",
      });
      const state = fold(failed());
      const anew = failed().resumed(plan).events.slice(state.seq);
      for (const event of anew)
        apply(state, event.type === "run_resumed" ? { ...event, data: { ...event.data, force: true } } : event);
      expect(statuses(cutOff(state))).toEqual({ ...before, b: "not_executed" });
    });
  });

  it("keeps the warning of a recovered step that it reuses", () => {
    const told = story()
      .begin("a")
      .fail("a", error("a"))
      .routed("a", "x", "to", "b")
      .begin("b")
      .fail("b", error("b"))
      .unhandled("b", error("b"));
    const state = fold(told.resumed(plan).reused("a", { kind: "external.git.drift" }).ran("b").ended());
    expect(statuses(state)).toMatchObject({ a: "recovered", b: "completed" });
    expect(currentWarnings(state)).toMatchObject([{ node: "a", kind: "recovered" }]);
  });
});

describe("groups", () => {
  const groups = outline(
    {
      name: "pair",
      type: "parallel",
      members: [
        { name: "x", type: "script" },
        { name: "y", type: "script" },
      ],
    },
    { name: "each", type: "for_each", item: { name: "w", type: "script" } },
    "h",
  );
  const each = (told: Story, key = "each#1"): Story =>
    told
      .begin("each", { key, type: "for_each" })
      .add("for_each_started", {
        group_name: "each",
        key,
        item_count: 3,
        max_concurrent: 2,
        failure_mode: "continue_on_error",
      });
  const item = (told: Story, name: string, index: number): Story =>
    told
      .add("for_each_item_started", { group_name: "each", item_key: name, index })
      .begin("w", { key: `each#1[${name}].w`, group: "each", item: name });
  const itemDone = (told: Story, name: string, index: number): Story =>
    item(told, name, index)
      .done("w", { key: `each#1[${name}].w`, group: "each", item: name })
      .add("for_each_item_completed", { group_name: "each", item_key: name, index, elapsed: 1 });
  const itemFailed = (told: Story, name: string, index: number): Story => {
    const raisedError = error("w", "item.bad");
    item(told, name, index).fail("w", raisedError, { key: `each#1[${name}].w`, group: "each", item: name });
    return told.add("for_each_item_failed", {
      group_name: "each",
      item_key: name,
      index,
      elapsed: 1,
      error: raisedError,
    });
  };
  const eachEnded = (told: Story, failed: boolean): Story =>
    told.add("for_each_completed", {
      group_name: "each",
      key: "each#1",
      success_count: 1,
      failure_count: 1,
      count: 3,
      elapsed: 1,
      failed,
    });

  it("count their items, and keep them in the list's order", () => {
    const told = each(new Story().started(groups));
    itemDone(told, "c", 2);
    itemFailed(told, "b", 1);
    item(told, "a", 0);
    const group = node(fold(told), "each").group;
    expect(group).toMatchObject({ count: 3, succeeded: 1, failed: 1, running: 1 });
    expect(group && membersInOrder(group).map(({ itemKey, name, status }) => [itemKey, name, status])).toEqual([
      ["a", "w", "running"],
      ["b", "w", "failed"],
      ["c", "w", "completed"],
    ]);
  });

  it("that went on without a member say which", () => {
    const told = each(new Story().started(groups));
    itemDone(told, "a", 0);
    itemFailed(told, "b", 1);
    const state = fold(eachEnded(told, false).done("each", { type: "for_each" }).ended({}, { degraded: true }));
    expect(currentWarnings(state)).toMatchObject([
      { kind: "lost_member", node: "w", group: "each", itemKey: "b", error: { kind: "item.bad" } },
    ]);
  });

  it("that failed and were recovered name the members, not themselves", () => {
    const told = each(new Story().started(groups));
    itemFailed(told, "b", 1);
    itemFailed(told, "a", 0);
    eachEnded(told, true).add("group_failed", {
      group_name: "each",
      key: "each#1",
      errors: [
        { node: "w", item_key: "b", error: error("w", "item.bad") },
        { node: "w", item_key: "a", error: error("w", "item.bad") },
      ],
    });
    told
      .fail("each", error("w", "item.bad"), { type: "for_each" })
      .routed("each", "item.bad", "to", "h")
      .ran("h")
      .ended();
    expect(currentWarnings(fold(told)).map(({ itemKey, group, by }) => [itemKey, group, by])).toEqual([
      ["b", "each", "h"],
      ["a", "each", "h"],
    ]);
  });

  it("that failed unhandled are found from the run's failure, in order of time", () => {
    const told = each(new Story().started(groups));
    itemFailed(told, "b", 1);
    itemFailed(told, "a", 0);
    eachEnded(told, true)
      .fail("each", error("w", "item.bad"), { type: "for_each" })
      .unhandled("each", error("w", "item.bad"));
    expect([...(failedGroup(fold(told))?.group.failures.keys() ?? [])]).toEqual(["b", "a"]);
  });

  it("run again only for what failed, on a retry", () => {
    const told = each(new Story().started(groups));
    itemDone(told, "a", 0);
    itemFailed(told, "b", 1);
    each(eachEnded(told, true).fail("each", error("w"), { type: "for_each" }).retry("each"));
    itemDone(told, "b", 1);
    expect(node(fold(told), "each").group).toMatchObject({ succeeded: 2, failed: 0, running: 0 });
    expect(node(fold(told), "each").group?.failures.size).toBe(0);
  });

  it("of a loop keep the items of the last visit only", () => {
    const told = each(new Story().started(groups));
    itemDone(told, "a", 0);
    itemDone(told, "b", 1);
    const state = fold(each(told, "each#2"));
    expect(node(state, "each").group?.members.size).toBe(0);
    expect(state.root.byKey.size).toBe(1);
  });

  it("in parallel list every member, and a handler in a member's place is a step of its own", () => {
    const told = new Story()
      .started(groups)
      .begin("pair", { type: "parallel" })
      .add("parallel_started", { group_name: "pair", key: "pair#1", agents: ["x", "y"], max_concurrent: 2 });
    told
      .begin("x", { key: "pair#1.x", group: "pair" })
      .fail("x", error("x"), { key: "pair#1.x", group: "pair" })
      .routed("x", "k", "to", "h", "pair#1.x");
    told
      .ran("h", { key: "pair#1.x.h", group: "pair" })
      .add("parallel_agent_completed", { group_name: "pair", agent_name: "x", elapsed: 1, recovered: true });
    const state = fold(told);
    const group = node(state, "pair").group;
    expect(group && membersInOrder(group).map(({ name, status }) => [name, status])).toEqual([
      ["x", "recovered"],
      ["y", "not_executed"],
    ]);
    expect(node(state, "h").status).toBe("completed");
    expect(currentWarnings(state)).toMatchObject([{ node: "x", group: "pair", by: "h" }]);
  });
});

describe("sub-workflows", () => {
  const top = outline({ name: "call", type: "workflow" });
  const child = {
    agent_name: "call",
    key: "call#1",
    slot: "call",
    workflow: "leaf",
    file: "/work/leaf.yaml",
    inputs: {},
    outline: { ...outline("p", "q"), name: "leaf" },
  };

  it("are frames below their step", () => {
    const told = new Story().started(top).begin("call", { type: "workflow" }).add("subworkflow_started", child);
    const state = fold(told.within(["call"], (inner) => inner.ran("p", { key: "call#1/p#1" })));
    expect(node(state, "call").frame).toMatchObject({ name: "leaf", file: "/work/leaf.yaml" });
    expect(node(state, "call").frame?.nodes.get("p")?.status).toBe("completed");
    expect(state.executions).toBe(1);
  });

  it("are fresh on a retry, and go on in a later drive", () => {
    const told = new Story().started(top).begin("call", { type: "workflow" }).add("subworkflow_started", child);
    told.within(["call"], (inner) => inner.ran("p", { key: "call#1/p#1" }));
    const retried = fold(
      new Story()
        .started(top)
        .begin("call", { type: "workflow" })
        .add("subworkflow_started", child)
        .within(["call"], (inner) => inner.ran("p"))
        .add("subworkflow_started", child),
    );
    expect(node(retried, "call").frame?.nodes.size).toBe(0);
    told.resumed(top, "crashed").begin("call", { type: "workflow", attempt: 2 }).add("subworkflow_started", child);
    told.within(["call"], (inner) => inner.reused("p", { key: "call#1/p#1" }));
    const frame = node(fold(told), "call").frame;
    expect(frame?.nodes.get("p")).toMatchObject({ cached: true, elapsedMs: 500 });
  });
});

describe("money", () => {
  const call = { agent_name: "a", purpose: "answer", model: "m1", input_tokens: 10, output_tokens: 5, cost_usd: 0.01 };
  const summary = { model: "m1", input_tokens: 10, output_tokens: 5, cost_usd: 0.01 };

  it("is counted once, from the calls where they are told, else from the step's end", () => {
    const byCall = fold(story().begin("a").add("agent_usage", call).done("a", { more: summary }));
    const bySummary = fold(story().begin("a").done("a", { more: summary }));
    for (const state of [byCall, bySummary]) {
      expect(state.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, costUsd: 0.01 });
      expect(node(state, "a").usage).toMatchObject({ inputTokens: 10, costUsd: 0.01 });
      expect(state.usageByModel.get("m1")).toMatchObject({ outputTokens: 5 });
    }
  });

  it("that is not known names the model", () => {
    const state = fold(
      story()
        .begin("a")
        .add("agent_usage", call)
        .add("agent_usage", { ...call, model: "m2", cost_usd: null }),
    );
    expect([...state.usage.unpriced]).toEqual(["m2"]);
    expect(state.usage.costUsd).toBe(0.01);
  });
});

describe("other warnings", () => {
  it("say in words what was not written, spent, run or told", () => {
    const told = story()
      .add("errors_jsonl_write_failed", { reason: "EISDIR", path: "/r/errors.jsonl" })
      .add("warning", { node: "a", message: "careful" })
      .add("budget_exceeded", { budget_usd: 1, spent_usd: 2, budget_mode: "audit", agent_name: "a" })
      .add("hook_ran", { hook: "on_start", ok: false, message: "exit 1" })
      .add("hook_ran", { hook: "on_start", ok: true })
      .add("escalation_failed", { node: "a", kind: "k.k", message: "no answer" });
    expect(currentWarnings(fold(told)).map(({ message }) => message)).toEqual([
      expect.stringMatching(/errors\.jsonl.*EISDIR/),
      "careful",
      expect.stringMatching(/budget/),
      expect.stringMatching(/on_start.*exit 1/),
      expect.stringMatching(/no answer/),
    ]);
  });
});

it("the state of a loop does not grow with its iterations", () => {
  const told = story();
  const state = initialState("01RUN");
  for (const event of told.events) apply(state, event);
  const size = (): number => state.root.nodes.size + state.root.byKey.size + state.warnings.size;
  const round = (visit: number): void => {
    const loop = new Story()
      .begin("a", { key: `a#${visit}` })
      .fail("a", error("a"), { key: `a#${visit}` })
      .routed("a", "x", "to", "b", `a#${visit}`)
      .ran("b", { key: `b#${visit}`, output: { text: "x".repeat(100) } });
    for (const event of loop.events) apply(state, event);
  };
  round(1);
  const before = size();
  for (let visit = 2; visit < 2000; visit++) round(visit);
  expect(size()).toBe(before);
});
