// The moment that all views show: now, or the one that the address names.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { cutOff } from "../../../../events/state/read.ts";
import { Replay } from "../../../state/replay.ts";
import type { RunModel, RunMoment } from "../../../state/run-model.ts";
import { selection } from "../../../state/selection.ts";

const replays = new WeakMap<RunModel, Replay>();

export function replayOf(model: RunModel): Replay {
  const known = replays.get(model) ?? new Replay(model.id);
  replays.set(model, known);
  return known;
}

export function useMoment(model: RunModel): RunMoment | undefined {
  const at = useComputed(() => selection.value.at).value;
  const past = useSignal<RunMoment | undefined>(undefined);
  const replay = useMemo(() => replayOf(model), [model]);
  useEffect(() => {
    if (at === null) {
      past.value = undefined;
      return;
    }
    let isGone = false;
    replay.momentAt(at).then(
      (moment) => {
        if (!isGone) past.value = moment;
      },
      (error: unknown) => {
        if (!isGone) model.problem.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => {
      isGone = true;
    };
  }, [at, replay]);
  const moment = at === null ? model.live.value : (past.value ?? undefined);
  const about = model.about.value;
  // Also failed, where no worker could go on with it. A later event means that a process drives the run again.
  const isLeft = about?.status === "crashed" || about?.status === "failed";
  const isCutOff = isLeft && moment?.seq === about.seq;
  return useMemo(() => (moment && isCutOff ? { ...moment, state: cutOff(moment.state) } : moment), [moment, isCutOff]);
}
