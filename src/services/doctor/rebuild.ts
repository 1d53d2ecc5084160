// `segno doctor --reindex`: the index of runs, made anew from what the runs' own journals say.
import { activeMs } from "../../events/read.ts";
import type { Reindexed, StoreUpkeep } from "../../hosts/store.ts";
import { redactorFor, stateOf } from "../read-run.ts";
import { resultOfRun } from "../report.ts";
import type { Surroundings } from "../request.ts";

export const rebuildIndex = (upkeep: StoreUpkeep, request: Surroundings): Promise<Reindexed> =>
  upkeep.reindex(async (reader) => {
    const state = await stateOf(reader);
    const redactor = await redactorFor(reader, request);
    const { errors, exit_code, metrics, checkpoint } = resultOfRun(state, {
      ...request,
      folder: reader.folder,
      redactor,
      interrupted: state.status === "running",
    });
    return {
      status: state.status,
      ended: state.status === "running" ? null : state.lastAt,
      driver: (await reader.holder()) ?? null,
      failingKind: errors[0]?.kind ?? null,
      exitCode: exit_code,
      durationMs: activeMs(state) ?? null,
      costUsd: metrics?.total_cost_usd ?? null,
      resumable: checkpoint?.resumable ?? false,
    };
  });
