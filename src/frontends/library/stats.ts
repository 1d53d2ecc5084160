// What happened, over many runs: of a client `segno.runs.stats`.
import type { StatsAnswer, StatsRequest } from "../../services/runs/stats.ts";
import type { StoreOptions } from "./options.ts";
import { allOf, givenOf, STANDING, standingOf } from "./services-of.ts";
import { checkGiven } from "./wrong-call.ts";

export type { Percentiles, StepStats, WorkflowStats } from "../../services/runs/stats-sums.ts";
export type { StatsAnswer };

export interface StatsOptions extends StoreOptions, StatsRequest {}

const WANTED = allOf<StatsRequest>()(["file", "workflow", "since", "until", "status", "inputs", "limit"]);

export async function stats(options: StatsOptions = {}): Promise<StatsAnswer> {
  await checkGiven("stats", options, [...STANDING, ...WANTED]);
  const { statsOfRuns } = await import("../../services/runs/stats.ts");
  return statsOfRuns(standingOf(options), givenOf(options, WANTED));
}
