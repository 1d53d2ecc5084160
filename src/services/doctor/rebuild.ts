// `segno doctor --reindex`: the index of runs, made anew from what the runs' own journals say.
import type { Reindexed, StoreUpkeep } from "../../hosts/store.ts";
import { recordedEnd } from "../runs/recorded-end.ts";
import type { Session } from "../session/session.ts";

export const rebuildIndex = (upkeep: StoreUpkeep, session: Session): Promise<Reindexed> =>
  upkeep.reindex(async (reader) => {
    const { workflow: _, seq: _seq, ...end } = await recordedEnd(reader, session);
    return end;
  });
