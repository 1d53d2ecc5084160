import { describe, expect, it } from "vitest";
import type { EventData, EventType, RunEvent } from "../../../base/events/registry.ts";
import { plainProgress } from "../drive.ts";
import { Output, type Sink } from "../output.ts";

let seq = 0;
const event = <Type extends EventType>(type: Type, data: Partial<EventData<Type>>, path: string[] = []): RunEvent =>
  ({ seq: ++seq, ts: "2030-01-01T00:00:00.000Z", type, run_id: "01RUN", path, data }) as unknown as RunEvent;

const step = (agent_name: string, more: object = {}) => ({
  agent_name,
  agent_type: "script",
  key: agent_name,
  attempt: 1,
  elapsed: 0.25,
  ...more,
});

function said(events: readonly RunEvent[], verbose = false): string[] {
  let text = "";
  const stderr: Sink = { write: (part) => (text += part) };
  const output = new Output(
    { format: "text", quiet: false, verbose, plain: true, env: {} },
    { stdout: stderr, stderr },
  );
  const progress = plainProgress(output);
  for (const one of events) progress.on(one);
  progress.end();
  return text.split("\n").slice(0, -1);
}

describe("progress without a terminal", () => {
  it.each([
    ["waiting", "going on after it waited for its time"],
    ["handed over", "going on after it was handed over by its worker"],
    ["cancelled", "going on after it was stopped"],
  ])("tells why the drive before was left: %s", (after, words) => {
    const [line] = said([event("run_resumed", { after, outline: { name: "rests" } as never, file_changed: false })]);
    expect(line).toContain(words);
  });

  it("tells a run with an error, retries and a route in one line each", () => {
    const lines = said([
      event("workflow_started", { name: "release" }),
      event("agent_started", step("build")),
      event("script_output", { node: "build", stream: "stdout", text: "noise\n" }),
      event("agent_completed", step("build")),
      event("route_taken", { from_agent: "build", to_agent: "publish" }),
      event("agent_started", step("publish")),
      event("agent_failed", {
        ...step("publish"),
        kind: "external.npm.forbidden",
        error_type: "x",
        message: "403\nmore",
      }),
      event("error_raised", { node: "publish" }),
      event("error_routed", {
        node: "publish",
        kind: "external.npm.forbidden",
        action: "retry",
        route: { index: 1, table: "step" },
      }),
      event("retry_scheduled", {
        node: "publish",
        kind: "external.npm.forbidden",
        attempt: 1,
        max: 3,
        delay_seconds: 2,
      }),
      event("agent_started", step("publish", { attempt: 2 })),
      event("agent_failed", {
        ...step("publish", { attempt: 2 }),
        kind: "external.npm.forbidden",
        error_type: "x",
        message: "403",
      }),
      event("error_routed", {
        node: "publish",
        kind: "external.npm.forbidden",
        action: "to",
        to: "ask",
        route: { index: 2, line: 41, table: "step" },
      }),
      event("gate_presented", { agent_name: "ask", prompt: "# Go on?\nReally" }),
      event("gate_resolved", { agent_name: "ask", selected_option: "yes", answered_by: "terminal" }),
      event("workflow_completed", {}),
    ]);
    expect(lines).toEqual([
      "release 01RUN",
      "build: script started",
      "build: done in 250ms",
      "publish: script started",
      "publish: external.npm.forbidden: 403",
      "publish: retry 1 of 3 in 2.0s",
      "publish: script started (attempt 2)",
      "publish: external.npm.forbidden: 403 (attempt 2)",
      "publish: external.npm.forbidden goes to ask (line 41)",
      "ask: asks: # Go on?",
      'ask: answered "yes" (terminal)',
    ]);
  });

  it("names items by their group and key, and steps by their way down", () => {
    const lines = said([
      event("for_each_started", { group_name: "each", item_count: 1, max_concurrent: 8 }),
      event("agent_started", step("w", { group: "each", item_key: "eu" })),
      event("agent_started", step("inner"), ["plan", "each[eu]"]),
      event(
        "agent_completed",
        step("w", { group: "each", item_key: "eu", input_tokens: 1200, output_tokens: 34, cost_usd: 0.0123 }),
      ),
      event("for_each_completed", {
        group_name: "each",
        success_count: 1,
        failure_count: 1,
        elapsed: 65,
        failed: false,
      }),
    ]);
    expect(lines).toEqual([
      "each: 1 item, 8 at a time",
      "each[eu]: script started",
      "plan/each[eu]/inner: script started",
      "each[eu]: done in 250ms, 1.2k tokens, $0.012",
      "each: 1 of 2 items done, 1 failed in 1m 05s",
    ]);
  });

  it("names the item that is tried again or led away, and says how long a resume still waits", () => {
    const item = { node: "get", key: "all[2].get", group: "all", item_key: "2" };
    const lines = said([
      event("retry_scheduled", { ...item, attempt: 1, max: 1, delay_seconds: 3 }),
      event("retry_awaited", { ...item, attempt: 1, max: 1, remaining_seconds: 2 }),
      event("error_routed", { ...item, kind: "a.b", action: "to", to: "mend", route: { index: 0, table: "step" } }),
    ]);
    expect(lines).toEqual([
      "all[2]: retry 1 of 1 in 3.0s",
      "all[2]: waits 2.0s more for retry 1 of 1",
      "all[2]: a.b goes to mend",
    ]);
  });

  it("counts the retries of a call to a model, not the calls", () => {
    const retry = { agent_name: "ask", max_attempts: 4, error: "overloaded", error_type: "529", delay: 2 };
    const lines = said([
      event("agent_retry", { ...retry, attempt: 1 }),
      event("agent_retry", { ...retry, attempt: 3 }),
    ]);
    expect(lines).toEqual([
      "ask: overloaded; asking the provider again in 2.0s (retry 1 of 3)",
      "ask: overloaded; asking the provider again in 2.0s (retry 3 of 3)",
    ]);
  });

  it("says from the second visit on which one it is, of steps and of groups", () => {
    const lines = said([
      event("agent_completed", step("loop", { key: "loop#1" })),
      event("agent_started", step("loop", { key: "loop#2" })),
      event("agent_completed", step("loop", { key: "loop#2" })),
      event("error_routed", {
        node: "loop",
        key: "loop#12",
        kind: "a.b",
        action: "halt",
        route: { index: 0, table: "step" },
      }),
      event("agent_completed", step("inner", { key: "sub#2/inner#3" }), ["sub"]),
      event("parallel_started", { group_name: "both", key: "both#2", agents: ["a", "b"] }),
    ]);
    expect(lines).toEqual([
      "loop: done in 250ms",
      "loop #2: script started",
      "loop #2: done in 250ms",
      "loop #12: a.b halts the run",
      "sub/inner #3: done in 250ms",
      "both #2: 2 members started",
    ]);
  });

  it("names the handler that runs in an item's place", () => {
    const item = { group: "all", item_key: "a.b" };
    const lines = said([
      event("agent_started", step("get", { ...item, key: "all#1[a.b].get" })),
      event("agent_started", step("get", { ...item, key: "all#1[a.b].get#2", attempt: 2 })),
      event("agent_started", step("mend", { ...item, key: "all#1[a.b].get#2.mend" })),
      event("agent_completed", step("mend", { ...item, key: "all#1[a.b].get#2.mend" })),
    ]);
    expect(lines).toEqual([
      "all[a.b]: script started",
      "all[a.b]: script started (attempt 2)",
      "all[a.b] mend: script started",
      "all[a.b] mend: done in 250ms",
    ]);
  });

  it("says why a step runs again that had ended well, and not that it had failed", () => {
    const lines = said([
      event("agent_started", step("prep", { attempt: 2, again: "definition changed" })),
      event("agent_completed", step("prep", { attempt: 2, repaired: true })),
      event("agent_started", step("next", { attempt: 2, again: "inputs changed" })),
    ]);
    expect(lines).toEqual([
      "prep: script started (attempt 2): its definition has changed",
      "prep: done in 250ms (attempt 2), changed since it last ran",
      "next: script started (attempt 2): what it reads has changed",
    ]);
  });

  it("does not say that an error was escalated when that did not get through", () => {
    const about = { node: "build", kind: "a.b" };
    const lines = said([
      event("error_escalated", { ...about, by: "./nope.sh", failed: true }),
      event("escalation_failed", { ...about, message: "./nope.sh could not be started" }),
    ]);
    expect(lines).toEqual(["build: the escalation of a.b did not get through: ./nope.sh could not be started"]);
  });

  it("adds with -v what scripts print, whole lines with the step before them", () => {
    const out = (text: string) => event("script_output", { node: "build", stream: "stdout", text });
    expect(
      said(
        [
          out("one\ntw"),
          out("o\n"),
          event("route_taken", { from_agent: "build", to_agent: "b" }),
          out("\u001b[31mlast"),
        ],
        true,
      ),
    ).toEqual(["build | one", "build | two", "build: goes to b", "build | last"]);
  });

  it("names an item the same in every line, whatever became of it", () => {
    const item = { node: "get", key: "all#1[2].get", group: "all", item_key: "2", kind: "a.b" };
    const lines = said(
      [
        event("script_output", { node: "get", stream: "stdout", text: "hi\n", group: "all", item_key: "2" }),
        event("dead_lettered", { ...item, letter: "L" }),
        event("dead_letter_resolved", { ...item, letter: "L" }),
        event("error_escalated", { ...item, by: "./notify.sh" }),
        event("error_recovered", { ...item, by: "mend" }),
        event("wait_started", { agent_name: "get", duration_seconds: 1, group: "all", item_key: "2" }),
      ],
      true,
    );
    expect(lines.map((line) => line.replace(/(: | \|).*/, ""))).toEqual(Array.from({ length: 6 }, () => "all[2]"));
  });
});

it("events of an edited journal whose type is a word of JavaScript are passed over", () => {
  const odd = ["constructor", "__proto__", "toString", "hasOwnProperty"].map((type) => event(type as EventType, {}));
  expect(said(odd)).toEqual([]);
});

it("a failed terminate is called by words, not by a class", () => {
  const failed = step("stop", { agent_type: "terminate", error_type: "WorkflowTerminated", message: "no" });
  expect(said([event("agent_failed", failed)]).join("\n")).toContain("stop: terminated: failed: no");
});
