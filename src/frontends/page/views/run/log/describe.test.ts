// A line of the log opens the step that it is about: of a for_each the very item.
import { describe, expect, it } from "vitest";
import { error } from "../../../../../../test/support/engine/test-events.ts";
import { EVENTS, type EventType, type RunEvent } from "../../../../../base/events/registry.ts";
import { logLine, withoutRepetition } from "./describe.ts";

const event = (type: EventType, data: object, path: readonly string[] = []): RunEvent =>
  ({ seq: 1, ts: "2030-01-01T00:00:00.000Z", type, run_id: "01RUN", path, data }) as unknown as RunEvent;

const has = (type: EventType, field: string): boolean => field in EVENTS[type].data.shape;
const ofVisits = (Object.keys(EVENTS) as EventType[]).filter(
  (type) => has(type, "key") && (has(type, "node") || has(type, "agent_name")),
);

describe("a line of the log", () => {
  it.each(ofVisits)("is about the item that the key of its visit names: %s", (type) => {
    const name = has(type, "agent_name") ? "agent_name" : "node";
    const raised = { kind: "a.b", error: { ...error("one"), group: "all", item_key: "703" } };
    const line = logLine(event(type, { [name]: "one", key: "all#1[703].one", ...raised }));
    expect(line).toMatchObject({ step: { path: [], node: "one" }, item: "703" });
  });

  it("is about the innermost item of nested ones, the others are in its path", () => {
    const key = "regions#1[us east].deploy/hosts#1[2].push";
    const line = logLine(event("error_raised", { node: "push", key, error: error("push") }, ["regions[us east]"]));
    expect(line).toMatchObject({ step: { path: ["regions[us east]"], node: "push" }, item: "2" });
  });

  it("of a script's end has what was held back of its words until then", () => {
    const held_back = [{ seq: 1, node: "one", key: "one#1", stream: "stdout", text: "hunt\n" }];
    expect(logLine(event("script_completed", { agent_name: "one", key: "one#1", elapsed: 1, held_back })).more).toBe(
      "hunt",
    );
  });

  it("is about no item where it is about the group that hands on what an item raised", () => {
    const raised = { ...error("one"), group: "all", item_key: "703" };
    expect(logLine(event("error_raised", { node: "all", key: "all#1", error: raised })).item).toBe(null);
    expect(logLine(event("workflow_failed", { agent_name: "all", error: raised })).item).toBe(null);
  });

  it("leads from the end of a run to the step and the item that halted it, wherever that is", () => {
    const cause = { ...error("push"), group: "hosts", item_key: "2" };
    const halted = { ...error("push", "halt.intentional"), cause };
    const ended = { agent_name: "push", agent_path: ["regions[us east]"], error: halted };
    const line = logLine(event("workflow_failed", ended));
    expect(line).toMatchObject({ step: { path: ["regions[us east]"], node: "push" }, item: "2" });
  });

  it("says of a retry what comes, not what failed", () => {
    const scheduled = { node: "one", key: "one#1", kind: "net.down", attempt: 1, delay_seconds: 4 };
    expect(logLine(event("retry_scheduled", scheduled)).more).toBe("net.down, tried again in 4.0 s, attempt 2");
    expect(logLine(event("retry_scheduled", { ...scheduled, via: "mend" })).more).toBe(
      "net.down, tried again in 4.0 s by way of mend",
    );
  });
});

describe("the log as it is shown at first", () => {
  const step = { agent_name: "push", key: "push#1" };
  const shown = (events: readonly RunEvent[]) => withoutRepetition(events).map(({ type }) => type);
  const failed = event("agent_failed", { ...step, attempt: 1, kind: "a.b", message: "push is broken" });

  it("has one line for an attempt that failed, with its kind and its message", () => {
    const raised = { ...error("push"), kind: "a.b", message: "push is broken" };
    const events = [
      event("agent_started", { ...step, attempt: 1 }),
      event("script_started", { node: "push" }),
      event("script_spawned", { node: "push" }),
      event("script_completed", { agent_name: "push", key: "push#1", elapsed: 1 }),
      failed,
      event("error_raised", { node: "push", key: "push#1", error: raised }),
      event("error_routed", { node: "push", key: "push#1", kind: "a.b", action: "to", to: "mend" }),
      event("route_taken", { from_agent: "push", to_agent: "mend", error: true }),
    ];
    expect(shown(events)).toEqual(["agent_failed", "error_routed"]);
    expect(logLine(failed).more).toBe("a.b: push is broken");
  });

  it("has the retry that follows, with its time", () => {
    const events = [
      failed,
      event("error_routed", { node: "push", key: "push#1", kind: "a.b", action: "retry" }),
      event("retry_scheduled", { node: "push", key: "push#1", kind: "a.b", attempt: 1, delay_seconds: 1 }),
    ];
    expect(shown(events)).toEqual(["agent_failed", "retry_scheduled"]);
  });

  it("has the start of an attempt as long as it runs", () => {
    const events = [failed, event("agent_started", { ...step, attempt: 2 })];
    expect(shown(events)).toEqual(["agent_failed", "agent_started"]);
    expect(shown([...events, event("agent_completed", { ...step, attempt: 2 })])).toEqual([
      "agent_failed",
      "agent_completed",
    ]);
  });

  it("has an error that no attempt raised, and a script's end that has words of the script", () => {
    const held_back = [{ seq: 1, node: "push", key: "push#1", stream: "stdout", text: "hunt" }];
    const events = [
      event("error_raised", { node: "all", key: "all#1", error: error("all") }),
      event("script_completed", { agent_name: "push", key: "push#1", elapsed: 1, held_back }),
    ];
    expect(shown(events)).toEqual(["error_raised", "script_completed"]);
  });
});
