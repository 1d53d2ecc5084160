import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../base/events/registry.ts";
import { beatsOf } from "../../../services/runs/runs.ts";
import { RunClock } from "../commands/replay.ts";

const at = (seconds: number, type: RunEvent["type"] = "warning"): RunEvent =>
  ({
    seq: 1,
    ts: new Date(seconds * 1000).toISOString(),
    type,
    run_id: "R",
    path: [],
    data: {},
  }) as unknown as RunEvent;

async function* stream(events: readonly RunEvent[]): AsyncIterable<RunEvent> {
  yield* events;
}

async function beats(events: readonly RunEvent[], speed: number) {
  const all = [];
  for await (const { after_ms, wait_ms, passed_over } of beatsOf(stream(events), speed))
    all.push([after_ms, wait_ms, passed_over?.what ?? null]);
  return all;
}

describe("the beats of a replay", () => {
  it("waits what passed, divided by the speed", async () => {
    expect(await beats([at(0), at(2), at(3)], 1)).toEqual([
      [0, 0, null],
      [2000, 2000, null],
      [1000, 1000, null],
    ]);
    expect(await beats([at(0), at(20)], 10)).toEqual([
      [0, 0, null],
      [20_000, 2000, null],
    ]);
  });

  it("passes over long silences and the time between drives, and says so", async () => {
    expect(await beats([at(0), at(3600), at(90_000, "run_resumed"), at(90_001)], 1)).toEqual([
      [0, 0, null],
      [3_600_000, 800, "without an event"],
      [86_400_000, 800, "between drives"],
      [1000, 1000, null],
    ]);
  });

  it("makes no negative wait of a clock that was set back", async () => {
    expect(await beats([at(10), at(5)], 1)).toEqual([
      [0, 0, null],
      [0, 0, null],
    ]);
  });
});

describe("the clock of a replay", () => {
  it("stands at the last event and goes on at the replay's speed", () => {
    let wall = 100;
    const clock = new RunClock(10, () => wall);
    clock.set(5000);
    wall = 150;
    expect(clock.now()).toBe(5500);
  });
});
