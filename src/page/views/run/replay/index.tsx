// Replay: a slider over the events of a run, played at some speed or moved step by step.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../../parts/button.tsx";
import { clock } from "../../../parts/text.ts";
import { useKeys } from "../../../state/keys.ts";
import type { RunModel, RunMoment } from "../../../state/run-model.ts";
import { chooseMoment, selection } from "../../../state/selection.ts";
import { replayOf } from "./use-moment.ts";

const SPEEDS = [1, 4, 16, 64] as const;
/** A wait of an hour is not replayed in full. */
const LONGEST_WAIT_MS = 1200;

interface ReplayBarProps {
  readonly model: RunModel;
  readonly moment: RunMoment;
  readonly close: () => void;
}

export function ReplayBar({ model, moment, close }: ReplayBarProps) {
  const isPlaying = useSignal(false);
  const speed = useSignal<number>(4);
  const last = model.live.value?.seq ?? 0;
  const at = selection.value.at ?? last;
  const replay = replayOf(model);
  const move = (to: number): void => chooseMoment(Math.max(0, Math.min(last, to)));
  const stepOn = async (): Promise<void> => {
    const next = await replay.after(at);
    if (next) move(next.seq);
  };
  const stepBack = async (): Promise<void> => move(await replay.before(at));
  const toggle = (): void => {
    if (!isPlaying.value && at >= last) move(0);
    isPlaying.value = !isPlaying.value;
  };
  usePlaying(isPlaying.value, speed.value, model, () => (isPlaying.value = false));
  useKeys("replay", { play: toggle, on: () => void stepOn(), back: () => void stepBack() });
  return (
    <div class="replay" role="group" aria-label="Replay" data-shown={moment.seq}>
      <Button is="icon-only" icon="back" aria-label="One event back" title="," onClick={() => void stepBack()} />
      <Button
        is="icon-only main"
        icon={isPlaying.value ? "pause" : "play"}
        aria-label={isPlaying.value ? "Pause" : "Play"}
        title="space"
        onClick={toggle}
      />
      <Button is="icon-only" icon="forward" aria-label="One event on" title="." onClick={() => void stepOn()} />
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label="Moment"
        aria-valuetext={`event ${at} of ${last}`}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      <span class="small number">
        {at} / {last}
        {moment.state.lastAt && <span class="soft"> {clock(moment.state.lastAt)}</span>}
      </span>
      <select
        class="chip choice"
        aria-label="Speed"
        value={speed.value}
        onChange={(event) => (speed.value = Number(event.currentTarget.value))}
      >
        {SPEEDS.map((one) => (
          <option value={one} key={one}>
            {one}×
          </option>
        ))}
      </select>
      <Button is="low" label="Live" onClick={close} />
    </div>
  );
}

/** Goes from event to event, waiting between them as long as the run did, in its speed. */
function usePlaying(isPlaying: boolean, speed: number, model: RunModel, stop: () => void): void {
  useEffect(() => {
    if (!isPlaying) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const replay = replayOf(model);
    let [at, shownAt] = [selection.peek().at ?? 0, Number.NaN];
    const go = async (): Promise<void> => {
      const next = await replay.after(at).catch(() => null);
      if (isGone) return;
      if (!next) return stop();
      const time = Date.parse(next.ts);
      const wait = Number.isNaN(shownAt) ? 0 : Math.min(LONGEST_WAIT_MS, (time - shownAt) / speed);
      timer = setTimeout(
        () => {
          [at, shownAt] = [next.seq, time];
          chooseMoment(at);
          void go();
        },
        Math.max(16, wait),
      );
    };
    void go();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [isPlaying, speed, model]);
}
