// `segno doctor --reindex`: the index of runs, made anew from what the runs' own journals tell.
import { activeMs } from "../../events/read.ts";
import { type Reindexed, reindex } from "../../hosts/embedded/reindex.ts";
import { homeOf } from "../home.ts";
import { resultOfRun } from "../report.ts";
import type { Surroundings } from "../request.ts";
import { redactorFor, stateOf } from "../runs.ts";

export const rebuildIndex = (request: Surroundings): Reindexed =>
  reindex(homeOf(request), (reader) => {
    const state = stateOf(reader);
    const redactor = redactorFor(reader, request);
    const { errors, exit_code, metrics, checkpoint } = resultOfRun(state, {
      ...request,
      folder: reader.folder,
      redactor,
      interrupted: state.status === "running",
    });
    return {
      status: state.status,
      ended: state.status === "running" ? null : state.lastAt,
      driver: reader.holder() ?? null,
      failingKind: errors[0]?.kind ?? null,
      exitCode: exit_code,
      durationMs: activeMs(state) ?? null,
      costUsd: metrics?.total_cost_usd ?? null,
      resumable: checkpoint?.resumable ?? false,
    };
  });
