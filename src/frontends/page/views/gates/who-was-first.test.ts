import { expect, test } from "vitest";
import type { RunEvent } from "../../../../base/events/registry.ts";
import type { GateJson } from "../../../server/contract/gates.ts";
import { whoWasFirst } from "./gate-words.ts";

const GATE = { key: "ask#1", node_id: "ask", path: [], options: [{ label: "Ship it", value: "yes" }] } as unknown;
const event = (type: string, data: object): RunEvent => ({ seq: 9, ts: "07:10", type, path: [], data }) as never;
const told = (...events: readonly RunEvent[]): string => whoWasFirst(GATE as GateJson, events, (time) => time);

test("whoever is late is told who answered, and what, also when the run has gone on since", () => {
  const answered = event("gate_resolved", { key: "ask#1", selected_option: "yes", answered_by: "alice" });
  const other = event("gate_resolved", { key: "other#1", selected_option: "no", answered_by: "carol" });
  expect(told(other, answered, event("workflow_completed", {}))).toBe(
    "alice answered it first, with “Ship it”, at 07:10.",
  );
});

test("whoever is late is told that the run was cancelled, or has ended", () => {
  expect(told(event("run_cancelled", { by: "alice" }))).toBe("alice cancelled the run, at 07:10.");
  expect(told(event("workflow_failed", {}))).toBe("The run has ended, at 07:10.");
  expect(told()).toBe("It waits for an answer no more.");
});
