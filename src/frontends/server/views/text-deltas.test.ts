import { expect, it } from "vitest";
import type { RunEvent } from "../../../base/events/registry.ts";
import { joinDeltas } from "./sent-events.ts";

const event = (seq: number, type: string, data: object): RunEvent =>
  ({ seq, ts: "2030-01-01T00:00:00.000Z", type, run_id: "01RUN", path: [], data }) as unknown as RunEvent;

it("joins what a script prints in pieces", () => {
  const pieces = ["a", "b"].map((text, index) => event(index, "script_output", { key: "s#1", stream: "stdout", text }));
  expect(joinDeltas(pieces)).toMatchObject([{ seq: 1, data: { text: "ab" } }]);
});

it("leaves events of an edited journal alone whose type is a word of JavaScript", () => {
  const data = { [String(Object)]: "text" };
  const events = ["constructor", "constructor", "__proto__", "__proto__"].map((type, index) =>
    event(index, type, data),
  );
  expect(joinDeltas(events)).toEqual(events);
});
