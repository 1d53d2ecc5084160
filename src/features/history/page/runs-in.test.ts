import { expect, it } from "vitest";
import { runsIn } from "./runs-in.ts";

const better = { verdict: "better", step: "fetch", line: 12, was: "failed with io.gone", now: "completed" } as const;
const at = (run_id: string, more: object = {}) => ({ ...better, file: "a.yaml", change: null, run_id, ...more });

it("a group of a backtest has the runs that differ in the same way, and no other", () => {
  const runs = [at("r1"), at("r2", { step: "push" }), at("r3"), at("r4", { verdict: "worse" }), at("r5", { line: 13 })];
  expect(runsIn(better, runs)).toEqual(["r1", "r3"]);
});
