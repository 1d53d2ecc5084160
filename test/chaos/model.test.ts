// The model of `npm run chaos` itself: it must see what it is there to see.
import { join } from "node:path";
import { expect, test } from "vitest";

type Outcome = Record<string, unknown>;
type Compare = (reference: Outcome, disturbed: Outcome, how?: object) => string[];

const CHAOS = join(import.meta.dirname, "../../scripts/chaos");
const { compare } = (await import(join(CHAOS, "model.mjs"))) as { compare: Compare };
const { filesOf } = (await import(join(CHAOS, "shapes/index.mjs"))) as {
  filesOf(seed: number): Record<string, string>;
};

const event = (type: string, data: object, seq: number) => ({ seq, type, path: [], data });
const events = (...all: readonly [string, object][]) => all.map(([type, data], at) => event(type, data, at + 1));
const letter = (over: object = {}) => ({
  status: "open",
  kind: "app.chaos",
  node_id: "work",
  path: [],
  group: "all",
  item_key: "0",
  attempts: 1,
  count: 1,
  history: ["app.chaos"],
  ...over,
});
const outcome = (over: object = {}): Outcome => ({
  result: {},
  ends: {},
  marks: {},
  errorLines: [],
  events: [],
  letters: [],
  breakers: [],
  ...over,
});

const BREAKER = { failure_threshold: 2, recovery_timeout: 3600 };
const opened = { name: "step:main/b_down", status: "open", failures: 2, probes: 0 };
const tries = (times: number) => ({ marks: { "b_all#1[0].b_down:1": times }, breakers: [opened] });
const started = { agent_name: "b_down" };

test.each<[string, RegExp, Outcome, Outcome, object?]>([
  ["a letter that is lost", /is lost/, outcome({ letters: [letter()] }), outcome()],
  ["a letter too many", /should be none/, outcome(), outcome({ letters: [letter()] })],
  ["a letter twice", /2 letters/, outcome({ letters: [letter()] }), outcome({ letters: [letter(), letter()] })],
  [
    "a letter without its attempts",
    /history/,
    outcome({ letters: [letter({ history: ["app.chaos", "app.chaos"] })] }),
    outcome({ letters: [letter()] }),
  ],
  [
    "a letter that stayed open",
    /status open/,
    outcome({ letters: [letter({ status: "resolved" })] }),
    outcome({ letters: [letter()] }),
  ],
  [
    "an error that nobody was told of",
    /told 0 times/,
    outcome({ marks: { "escalate.main.a": 1 } }),
    outcome({ marks: {} }),
  ],
  [
    "an error that was recorded as told twice",
    /escalated 2 times/,
    outcome({ events: events(["error_escalated", { key: "a#1" }]) }),
    outcome({ events: events(["error_escalated", { key: "a#1" }], ["error_escalated", { key: "a#1" }]) }),
  ],
  [
    "a call while the breaker is open",
    /called while/,
    outcome(tries(2)),
    outcome({ ...tries(2), events: events(["circuit_opened", { breaker: opened.name }], ["script_started", started]) }),
  ],
  [
    "a change that is told twice",
    /circuit_opened after circuit_opened/,
    outcome(tries(2)),
    outcome({
      ...tries(2),
      events: events(["circuit_opened", { breaker: opened.name }], ["circuit_opened", { breaker: opened.name }]),
    }),
  ],
  ["more calls than kills explain", /called 9 times/, outcome(tries(2)), outcome(tries(9)), { kills: 2 }],
  [
    "a breaker that is not open in the end",
    /is closed, and should be open/,
    outcome(tries(2)),
    outcome({ ...tries(2), breakers: [{ ...opened, status: "closed" }] }),
  ],
  [
    "a denial without its verdict",
    /no event says by which policy/,
    outcome(),
    outcome({ events: events(["agent_failed", { key: "a#1", agent_name: "a", kind: "policy.denied" }]) }),
  ],
  [
    "more scripts at a time than may",
    /2 scripts ran at a time/,
    outcome(),
    outcome({ events: events(["script_started", started], ["script_started", started]) }),
  ],
])("%s is seen", (_, said, reference, disturbed, how = {}) => {
  const uses = { breaker: BREAKER, slots: 1 };
  expect(compare(reference, disturbed, { uses, ...how }).join("\n")).toMatch(said);
});

test("the first seeds, which a short run meets, have breakers, letters and every policy", () => {
  const text = [1, 2, 3, 4, 5, 6].flatMap((seed) => Object.values(filesOf(seed))).join("\n");
  for (const part of ["dead_letter", "escalate.sh", "max_concurrent_tasks", "task_timeout", "phase_gate", "module"])
    expect(text).toContain(`${part}`);
  expect(text).toMatch(/"recovery_timeout": 3600/);
  expect(text).toMatch(/"recovery_timeout": 0\.2/);
});
