// Events on their way out: streams of scripts are redacted as streams, and the places that events name as well.
import { expect, it } from "vitest";
import type { RunEvent } from "../events/registry.ts";
import { printedIn } from "../events/secrets-in-events.ts";
import { createRedactor } from "../redact/index.ts";
import { EventExit, learnSecrets } from "./redact-event.ts";

const SECRET = "hunter2-very-secret";
let seq = 0;
const event = (type: string, data: object, path: readonly string[] = []): RunEvent =>
  ({ seq: ++seq, ts: "2026-01-01T00:00:00.000Z", type, run_id: "r", path, data }) as unknown as RunEvent;
const printed = (key: string, text: string) => event("script_output", { node: "w", key, stream: "stdout", text });
const textsOf = (events: readonly RunEvent[]): string =>
  events.map(({ data }) => ("text" in data ? data.text : "")).join("");

const exit = () => new EventExit(createRedactor({ secrets: [SECRET] }));

it("a value with very many names is gone through only when its text may have something to hide", () => {
  let read = 0;
  const rows: Record<string, string> = {};
  for (let row = 0; row < 6_000; row++) rows[`row${row}`] = "x".repeat(10);
  const output = new Proxy(rows, {
    ownKeys(target) {
      read++;
      return Reflect.ownKeys(target);
    },
  });
  const done = event("agent_completed", { agent_name: "a", agent_type: "script", output });
  const redactor = createRedactor({ secrets: [SECRET] });
  const shownWith = (text: string): RunEvent => {
    learnSecrets(done, redactor, text);
    return new EventExit(redactor).pass(done, text);
  };
  expect(shownWith(JSON.stringify({ output: rows })).data).toBe(done.data);
  expect(read).toBe(0);
  rows.row5 = SECRET;
  expect(JSON.stringify(shownWith(JSON.stringify({ output: rows })))).not.toContain(SECRET);
  expect(read).toBeGreaterThan(0);
});

it("items of a group that print at the same time have a stream each", () => {
  const out = exit();
  const shown = [printed("each[0].w#1", "a hunter2-"), printed("each[1].w#1", "b hunter2-")]
    .concat(printed("each[0].w#1", "very-secret."), printed("each[1].w#1", "very-secret."))
    .map((one) => out.pass(one));
  expect(textsOf(shown)).toBe("a b <redacted>.<redacted>.");
});

it("what looked like the beginning of a secret is shown when the script has ended", () => {
  const out = exit();
  const first = out.pass(printed("w#1", "it is hunt"));
  const ended = out.pass(event("script_completed", { agent_name: "w", key: "w#1" }));
  expect(textsOf([first])).toBe("it is ");
  const held = { seq: first.seq, node: "w", key: "w#1", stream: "stdout", text: "hunt" };
  expect(ended).toMatchObject({ seq, type: "script_completed", data: { agent_name: "w", held_back: [held] } });
});

it("every event has one to be shown, with its number, also where items of a group end one after the other", () => {
  const out = exit();
  const all = [printed("each[0].w#1", "a hunt"), printed("each[1].w#1", "b hunt"), printed("each[0].w#1", "er")]
    .concat(event("script_failed", { agent_name: "w", key: "each[1].w#1" }))
    .concat(event("script_completed", { agent_name: "w", key: "each[0].w#1" }));
  const shown = all.map((one) => out.pass(one));
  expect(shown.map((one) => one.seq)).toEqual(all.map((one) => one.seq));
  expect(shown.flatMap(printedIn).map(({ key, text }) => [key, text])).toEqual([
    ["each[0].w#1", "a "],
    ["each[1].w#1", "b "],
    ["each[0].w#1", ""],
    ["each[1].w#1", "hunt"],
    ["each[0].w#1", "hunter"],
  ]);
});

it("what a script that was cut off had printed last is shown when the run goes on, and is not mixed with the next", () => {
  const out = exit();
  out.pass(printed("w#1", "it is hunt"));
  const resumed = out.pass(event("run_resumed", { drive: 2 }));
  expect(printedIn(resumed)).toMatchObject([{ key: "w#1", text: "hunt" }]);
  expect(textsOf([out.pass(printed("w#1", "it is "))])).toBe("it is ");
});

it("what a script that was cut off had printed last is known at the end", () => {
  const out = exit();
  out.pass(printed("w#1", "it is hunt"));
  expect(out.rest()).toMatchObject([{ text: "hunt" }]);
  expect(out.rest()).toEqual([]);
});

it("a secret that is the key of an item does not stand in the path", () => {
  const shown = exit().pass(event("warning", { node: null, message: "m" }, [`each[${SECRET}]`]));
  expect(shown.path).toEqual(["each[<redacted>]"]);
});
