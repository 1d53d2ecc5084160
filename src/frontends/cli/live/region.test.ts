import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../base/events/registry.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import { region } from "./region.ts";

const START = Date.parse("2030-01-01T00:00:00.000Z");
const colors = picocolors.createColors(false);

/** What the tree shows after these events, one second after the last drive began. */
function shown(events: readonly [string, object, string[]?][], rows = 24): readonly string[] {
  const state = initialState("01RUN");
  for (const [index, [type, data, path = []]] of events.entries())
    apply(state, {
      seq: index + 1,
      ts: "2030-01-01T00:00:00.000Z",
      type,
      run_id: "01RUN",
      path,
      data,
    } as unknown as RunEvent);
  const moment = { now: START + 4000, since: () => START + 1000, doing: () => undefined, colors, columns: 80, rows };
  return region(state, moment).map((line) => line.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "*"));
}

const started = (nodes: object[] = []): [string, object] => [
  "workflow_started",
  {
    name: "release",
    file: "r.yaml",
    outline: { name: "release", file: "r.yaml", nodes },
    inputs: {},
    definition_hash: "",
  },
];
const step = (agent_name: string, more: object = {}) => ({
  agent_name,
  agent_type: "script",
  key: agent_name,
  attempt: 1,
  elapsed: 1,
  output: null,
  ...more,
});
const error = {
  kind: "a.b",
  message: "m",
  details: {},
  raised_at: { workflow: "release", node: "x", attempt: 1 },
  propagated: [],
  attempts: 1,
};

describe("the tree that moves", () => {
  it("shows what runs, not what has ended", () => {
    const nodes = [
      { name: "build", type: "script" },
      { name: "publish", type: "script" },
    ];
    expect(
      shown([
        started(nodes),
        ["agent_started", step("build")],
        ["agent_completed", step("build")],
        ["agent_started", step("publish", { attempt: 2 })],
      ]),
    ).toEqual(["* publish  3.0s  attempt 2", "  release · 1 of 2 steps · 4.0s"]);
  });

  it("counts down to a retry", () => {
    const lines = shown([
      started(),
      ["agent_started", step("push")],
      ["agent_failed", { ...step("push"), kind: "a.b", error_type: "E", message: "m" }],
      ["error_raised", { node: "push", key: "push", error }],
      [
        "retry_scheduled",
        {
          node: "push",
          key: "push",
          kind: "a.b",
          attempt: 1,
          max: 3,
          delay_seconds: 9,
          until: "2030-01-01T00:00:09.000Z",
          route: 0,
        },
      ],
    ]);
    expect(lines[0]).toBe("↻ push  retry 1 of 3 in 5s  a.b");
  });

  it("counts a group and shows those of its items that run", () => {
    const events: [string, object][] = [
      started([{ name: "each", type: "for_each", item: { name: "w", type: "script" } }]),
      [
        "for_each_started",
        { group_name: "each", key: "each", item_count: 20, max_concurrent: 9, failure_mode: "fail_fast" },
      ],
    ];
    for (let index = 0; index < 9; index++) {
      events.push(["for_each_item_started", { group_name: "each", item_key: String(index), index }]);
      events.push(["agent_started", step("w", { group: "each", item_key: String(index), key: `each[${index}].w` })]);
    }
    events.push(["for_each_item_completed", { group_name: "each", item_key: "0", index: 0, elapsed: 1 }]);
    const lines = shown(events);
    expect(lines.slice(0, 2)).toEqual(["* each          1 of 20 done · 8 running  3.0s", "  * each[1]     3.0s"]);
    expect(lines.at(-2)).toBe("    and 2 more");
  });

  it("nests sub-workflows", () => {
    const outline = { name: "planning", file: "p.yaml", nodes: [{ name: "draft", type: "agent" }] };
    const lines = shown([
      started([{ name: "plan", type: "workflow" }]),
      ["agent_started", step("plan", { agent_type: "workflow" })],
      [
        "subworkflow_started",
        { agent_name: "plan", key: "plan", slot: "plan", workflow: "planning", file: "p.yaml", inputs: {}, outline },
      ],
      ["agent_started", step("draft", { key: "plan/draft" }), ["plan"]],
    ]);
    expect(lines).toEqual(["* plan     3.0s", "  * draft  3.0s", "  release · 0 of 1 step · 4.0s"]);
  });

  it("leaves room on a small terminal", () => {
    const names = Array.from({ length: 30 }, (_, index) => `s${index}`);
    const lines = shown([started(), ...names.map((name): [string, object] => ["agent_started", step(name)])], 12);
    expect(lines).toHaveLength(9);
    expect(lines.at(-2)).toBe("  and 23 more");
  });
});
