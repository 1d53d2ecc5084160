import { expect, it } from "vitest";
import { Phases } from "./guarded-run.ts";

it("counts the latest end of each step or item, and only in the phase it is in", () => {
  const phases = new Phases();
  expect([phases.current, phases.counts]).toEqual([undefined, { completed: 0, failed: 0 }]);
  phases.enter("build");
  phases.ended("build", "a", true);
  phases.ended("build", "b", false);
  phases.ended("build", "each#1[0].x", true);
  phases.ended("ship", "c", false);
  expect(phases.counts).toEqual({ completed: 2, failed: 1 });
  phases.ended("build", "b", true);
  expect(phases.counts).toEqual({ completed: 3, failed: 0 });
  phases.enter("ship");
  expect(phases.counts).toEqual({ completed: 0, failed: 1 });
});
