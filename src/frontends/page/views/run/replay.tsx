// The moment that all views show, now or one of the past, and the slider that leads through the events of a run.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { RunEvent } from "../../../../base/events/registry.ts";
import { apply } from "../../../../base/events/state/fold.ts";
import { unpackState } from "../../../../base/events/state/packed-state.ts";
import { cutOff } from "../../../../base/events/state/read.ts";
import { applyTaken, takenOf } from "../../../../base/events/taken-routes.ts";
import type { KeyframeJson } from "../../../server/contract/log.ts";
import { apiPath, get } from "../../api/client.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { useKeys } from "../../state/keys.ts";
import type { RunModel, RunMoment } from "../../state/run-model.ts";
import { chooseMoment, selection } from "../../state/selection.ts";
import { clock, messageOf } from "../../text.ts";

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
    <div class="replay middle" role="group" aria-label="Replay" data-shown={moment.seq}>
      <IconButton is="" icon="back" label="One event back" title="," onClick={() => void stepBack()} />
      <IconButton
        is="main"
        icon={isPlaying.value ? "pause" : "play"}
        label={isPlaying.value ? "Pause" : "Play"}
        title="space"
        onClick={toggle}
      />
      <IconButton is="" icon="forward" label="One event on" title="." onClick={() => void stepOn()} />
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
      <ChoiceField
        label="Speed"
        value={speed.value}
        options={SPEEDS.map((one) => [one, `${one}×`])}
        choose={(one) => (speed.value = Number(one))}
      />
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

const replays = new WeakMap<RunModel, Replay>();

function replayOf(model: RunModel): Replay {
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
        if (!isGone) model.problem.value = messageOf(error);
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

const MOST = 40;

/** A run at any moment of its past: the keyframe before it, and the fold of the few events up to it. */
class Replay {
  readonly #frames: KeyframeJson[] = [];
  /** The moment that was made last: the next one is often just after it. */
  #last: { readonly frame: KeyframeJson; moment: RunMoment } | undefined;

  constructor(readonly id: string) {}

  async momentAt(at: number): Promise<RunMoment> {
    const frame = await this.#frameAt(at);
    const isFurther = this.#last?.frame === frame && this.#last.moment.seq <= at;
    const begun =
      isFurther && this.#last
        ? this.#last.moment
        : { seq: frame.seq, state: unpackState(frame.state), taken: takenOf(frame.taken) };
    for (const event of frame.events) {
      if (event.seq <= begun.seq) continue;
      if (event.seq > at) break;
      apply(begun.state, event);
      applyTaken(begun.taken, event);
    }
    const moment = { ...begun, seq: at };
    this.#last = { frame, moment };
    return moment;
  }

  /** The event after a moment that changes the picture; null at the end. */
  async after(at: number): Promise<RunEvent | null> {
    for (let from = at; ; ) {
      const frame = await this.#frameAt(from);
      const next = frame.events.find(({ seq }) => seq > at);
      if (next) return next;
      if (frame.until >= frame.last_seq || frame.until <= from) return null;
      from = frame.until;
    }
  }

  async before(at: number): Promise<number> {
    const frame = await this.#frameAt(at);
    const earlier = frame.events.findLast(({ seq }) => seq < at);
    if (earlier) return earlier.seq;
    if (frame.seq === 0) return 0;
    return frame.seq < at ? frame.seq : this.before(frame.seq - 1);
  }

  async #frameAt(at: number): Promise<KeyframeJson> {
    const known = this.#frames.find(
      ({ seq, until, last_seq }) => seq <= at && (at < until || (at <= until && until === last_seq)),
    );
    if (known) return known;
    const frame = await get<KeyframeJson>(apiPath("runs", this.id, "keyframes"), { at });
    this.#frames.unshift(frame);
    if (this.#frames.length > MOST) this.#frames.pop();
    return frame;
  }
}
