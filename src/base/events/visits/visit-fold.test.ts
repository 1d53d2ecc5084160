// What is kept of a visit, whoever reads it: attempts of every drive, reuses as links, and the same for any way of cutting
// a run's events.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { error, outline, Story } from "../../../../test/support/engine/test-events.ts";
import type { RunEvent } from "../registry.ts";
import { apply, initialState } from "../state/fold.ts";
import { activeMs } from "../state/read.ts";
import { RecallFold } from "./recall.ts";
import { VisitFold } from "./visit-fold.ts";
import type { VisitRecord } from "./visit-record.ts";

const plan = outline("a", "b");
const story = (): Story => new Story().started(plan);

function folded(events: readonly RunEvent[], history = true): VisitFold {
  const fold = new VisitFold({ history });
  for (const event of events) fold.add(event);
  return fold;
}
const visitOf = (run: Story, key: string): VisitRecord | undefined => folded(run.events).visits.get(key);

it("a reminder of a paused run belongs to the time of no drive", () => {
  const gate = { agent_name: "a", key: "a#1", reminder: 1, ok: true };
  const paused = story().begin("a").add("run_paused", { reason: "gate", gate: {} });
  const at = paused.events.at(-1)?.ts;
  paused
    .wait(3600)
    .add("gate_notified", gate)
    .wait(60)
    .add("gate_notified", { ...gate, reminder: 2 });
  expect(folded(paused.events).drives[0]?.lastAt).toBe(at);
  const state = paused.events.reduce(apply, initialState("01RUN"));
  expect([activeMs(state), state.lastAt]).toEqual([2000, at]);
  const recall = new RecallFold();
  for (const event of paused.resumed(plan, "paused").ran("a").ended().events) recall.add(event);
  expect(recall.activeMs).toBe(5000);
});

it("the cancelling of a paused run belongs to the time of no drive, that of a running one to its own", () => {
  const cancelling = { reason: "cancelled", agent_name: null, by: "ann" };
  const paused = story().begin("a").add("run_paused", { reason: "gate", gate: {} });
  const at = paused.events.at(-1)?.ts;
  paused.wait(3600).add("run_cancelled", cancelling);
  const running = story().begin("a").wait(3600).add("run_cancelled", cancelling);
  const timesOf = ({ events }: Story) => {
    const recall = new RecallFold();
    for (const event of events) recall.add(event);
    return [activeMs(events.reduce(apply, initialState("01RUN"))), recall.activeMs, folded(events).drives[0]?.lastAt];
  };
  expect(timesOf(paused)).toEqual([2000, 2000, at]);
  expect(timesOf(running)).toEqual([3_602_000, 3_602_000, running.events.at(-1)?.ts]);
});

it("a drive was alive when a script of it printed something, also for whoever folds no such event", () => {
  const run = story().begin("a").wait(60).add("script_output", { node: "a", key: "a#1", stream: "stdout", text: "." });
  const printed = run.events.at(-1);
  const fold = folded(run.events.slice(0, -1));
  expect(fold.drives[0]?.lastAt).not.toBe(printed?.ts);
  if (printed) fold.passed(printed);
  expect(fold.drives[0]?.lastAt).toBe(printed?.ts);
});

describe("a visit over several drives", () => {
  const twice = story().begin("a").fail("a", error("a")).unhandled("a", error("a")).resumed(plan).ran("a");

  it("keeps the attempts of all of them, with their drive", () => {
    expect(visitOf(twice, "a#1")?.attempts.map(({ drive, number, end }) => [drive, number, end])).toEqual([
      [1, 1, "failed"],
      [2, 1, "ok"],
    ]);
  });

  it("is listed in each drive that came to it", () => {
    const keys = folded(twice.events).drives.map(({ visits }) => [...visits].map(({ key }) => key));
    expect(keys).toEqual([["a#1"], ["a#1"]]);
  });

  it("whose outcome is reused has a link and no further attempt", () => {
    const reused = story().ran("a").unhandled("b", error("b")).resumed(plan).reused("a");
    const visit = visitOf(reused, "a#1");
    expect(visit?.attempts).toHaveLength(1);
    expect(visit?.history?.reuses).toMatchObject([{ drive: 2, kind: undefined, fromRun: undefined }]);
  });

  it("has an attempt without an end where its process went away", () => {
    const cut = story().begin("a").resumed(plan, "crashed").begin("a", { attempt: 2 }).done("a", { attempt: 2 });
    expect(visitOf(cut, "a#1")?.attempts.map(({ number, end }) => [number, end])).toEqual([
      [1, undefined],
      [2, "ok"],
    ]);
  });
});

describe("what belongs to a visit", () => {
  it("are the errors, routes and retries with its key, and those of its node that carry none", () => {
    const run = story()
      .begin("a")
      .fail("a", error("a"))
      .routed("a", "x", "retry")
      .retry("a")
      .begin("a", { attempt: 2 })
      .done("a", { attempt: 2 })
      .add("route_taken", { from_agent: "a", to_agent: "b", route: { index: 0 } });
    const visit = visitOf(run, "a#1");
    expect(visit?.history).toMatchObject({
      errors: [{ error: { kind: "external.git.drift" } }],
      readings: [{ routed: { action: "retry" } }],
      routes: [{ route: { to_agent: "b" } }],
    });
    expect(visit?.retries).toHaveLength(1);
  });

  it("are the members of its group and the visits of its child, which name it as theirs", () => {
    const run = story()
      .begin("g", { type: "parallel" })
      .add("parallel_started", { group_name: "g", key: "g#1", agents: ["x"], max_concurrent: 1 })
      .ran("x", { key: "g#1.x", group: "g" })
      .begin("call", { type: "workflow" })
      .add("subworkflow_started", {
        agent_name: "call",
        key: "call#1",
        slot: "call",
        workflow: "c",
        file: "/c.yaml",
        inputs: {},
        outline: plan,
      })
      .within(["call"], (inner) => inner.ran("p", { key: "call#1/p#1" }));
    expect(visitOf(run, "g#1.x")?.history?.parent?.key).toBe("g#1");
    expect(visitOf(run, "call#1/p#1")?.history?.parent?.key).toBe("call#1");
    expect(visitOf(run, "call#1")?.history?.children[0]?.visits.map(({ node }) => node)).toEqual(["p"]);
  });
});

type Act = (run: Story, node: string) => Story;
const ACTS: readonly Act[] = [
  (run, node) => run.ran(node),
  (run, node) => run.begin(node),
  (run, node) => run.begin(node).fail(node, error(node)),
  (run, node) => run.begin(node).fail(node, error(node)).routed(node, "x", "to", "b"),
  (run, node) => run.begin(node).fail(node, error(node)).routed(node, "x", "retry").retry(node),
  (run, node) => run.reused(node),
  (run, node) => run.begin(node).fail(node, error(node)).unhandled(node, error(node)).resumed(plan),
  (run) => run.resumed(plan, "crashed"),
];
const anyRun = fc
  .array(fc.tuple(fc.constantFrom(...ACTS), fc.constantFrom("a", "b", "c")), { maxLength: 30 })
  .map((acts) => acts.reduce((run, [act, node]) => act(run, node), story().ran("a").ran("b").ran("c")).events);

describe("any run", () => {
  it("is recalled the same, with or without history being kept", () => {
    const standing = ({ outcome, attempts, retries, over, failures, pendingRetry }: VisitRecord) => ({
      outcome: outcome && { ...outcome, output: undefined },
      ended: attempts.map(({ drive, number, end }) => [drive, number, end]),
      retries: retries.map(({ scheduled }) => scheduled),
      over,
      failures,
      waits: pendingRetry?.scheduled,
    });
    const all = (events: readonly RunEvent[], history: boolean) =>
      [...folded(events, history).visits].map(([key, visit]) => [key, standing(visit)]);
    fc.assert(
      fc.property(anyRun, (events) => {
        expect(all(events, false)).toEqual(all(events, true));
      }),
    );
  });

  it("counts each attempt that ended once, as tried or as past", () => {
    fc.assert(
      fc.property(anyRun, (events) => {
        const recall = new RecallFold();
        for (const event of events) recall.add(event);
        const count = (...types: string[]): number => events.filter(({ type }) => types.includes(type)).length;
        const visits = ["a#1", "b#1", "c#1"].flatMap((key) => recall.get(key) ?? []);
        const ended = visits.reduce((sum, { attempts, discarded }) => sum + attempts + discarded, 0);
        expect(ended).toBe(count("agent_completed", "agent_failed"));
        expect(recall.drives).toBe(count("workflow_started", "run_resumed"));
      }),
    );
  });
});
