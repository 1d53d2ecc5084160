import { describe, expect, it } from "vitest";
import type { EventData, EventType, RunEvent } from "../../events/registry.ts";
import { Output, type Sink } from "../output.ts";
import { plainProgress } from "./progress.ts";

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
});
