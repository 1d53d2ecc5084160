// Which runs a group of a backtest counts: those that differ in the same way, at the same place.
import type { BacktestJson } from "../../../frontends/server/contract/history.ts";

type Run = BacktestJson["runs"][number];
type Differing = Omit<Run, "run_id" | "file" | "change">;

const wayOf = ({ verdict, step, line, was, now, fields, why }: Differing): string =>
  JSON.stringify([verdict, step, line, was, now, fields, why]);

export const runsIn = (group: Differing, runs: readonly Run[]): readonly string[] =>
  runs.filter((run) => wayOf(run) === wayOf(group)).map(({ run_id }) => run_id);
