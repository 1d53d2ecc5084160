import { expect, it } from "vitest";
import { addRun, newSums, summed } from "./stats-sums.ts";

it("counts how runs ended, and takes percentiles of times that there were", () => {
  const sums = newSums();
  for (let ms = 1000; ms <= 10_000; ms += 1000)
    addRun(sums, { end: ms > 8000 ? "failed" : "completed", ms, usd: ms / 1e6, steps: [["a", ms / 2, null]] });
  expect(summed(sums)).toMatchObject({
    runs: 10,
    completed: 8,
    failed: 2,
    seconds: { p50: 5, p90: 9 },
    cost_usd: { p50: 0.005, p90: 0.009 },
    steps: [{ step: "a", runs: 10, failed: 0, seconds: { p50: 2.5, p90: 4.5 }, cost_usd: null }],
  });
});

it("counts a kind once for a run, however many steps raised it", () => {
  const sums = newSums();
  addRun(sums, {
    end: "completed",
    ms: 1,
    usd: 0,
    resumed: 2,
    steps: [
      ["a", 1, null, ["x.y", "x.z"]],
      ["deploy", 1, 0.5, ["x.y"]],
      ["deploy/a", 1, 0.5],
    ],
  });
  addRun(sums, { end: "degraded", ms: 1, usd: null, steps: [["a", 1, null, ["x.y"]]] });
  const { kinds, steps, resumed, cost_usd, degraded } = summed(sums);
  expect({ kinds, resumed, cost_usd, degraded }).toEqual({
    kinds: { "x.y": 2, "x.z": 1 },
    resumed: 1,
    cost_usd: { p50: 0, p90: 0 },
    degraded: 1,
  });
  expect(steps).toMatchObject([
    { step: "a", runs: 2, failed: 2, kinds: { "x.y": 2, "x.z": 1 } },
    { step: "deploy", runs: 1, failed: 1, cost_usd: { p50: 0.5, p90: 0.5 } },
    { step: "deploy/a", runs: 1, failed: 0, kinds: {} },
  ]);
});

it("counts runs of which only the row is known, by how they ended", () => {
  const sums = newSums();
  addRun(sums, ["terminated", 0, 1000, null, null]);
  addRun(sums, ["terminated", 1, 3000, 0.5, null]);
  addRun(sums, ["failed", 3, null, null, "x.y"]);
  expect(sums.withoutSteps).toBe(3);
  expect(summed(sums)).toMatchObject({
    runs: 3,
    completed: 1,
    failed: 2,
    seconds: { p50: 1, p90: 3 },
    cost_usd: { p50: 0.5, p90: 0.5 },
    kinds: { "x.y": 1 },
    steps: [],
  });
});
