import { createColors } from "picocolors";
import { expect, it } from "vitest";
import type { RunSummary } from "../../../base/results/result.ts";
import { runsTable } from "./runs.ts";

const run = (run_id: string, status: RunSummary["status"], exit_code: number) => ({
  run_id,
  status,
  exit_code,
  workflow: "deploy",
  file: null,
  name: null,
  started_at: null,
  ended_at: null,
  duration_ms: null,
  kind: null,
  cost_usd: null,
  resumable: false,
});

it("tells a workflow that ended itself badly from one that ended itself well", () => {
  const list = [run("A", "terminated", 0), run("B", "terminated", 1)];
  const [, good = "", bad = ""] = runsTable(list, createColors(false), 120, 0).split("\n");
  expect(good).toMatch(/A .*terminated: success\s*$/);
  expect(bad).toMatch(/✗ .*B .*terminated: failed/);
});
