// A run at any moment of its past: the keyframe before it, and the fold of the few events up to it.
import type { RunEvent } from "../../events/registry.ts";
import { apply } from "../../events/state/fold.ts";
import { unpackState } from "../../events/state/packed-state.ts";
import { applyTaken, takenOf } from "../../events/taken-routes.ts";
import type { KeyframeJson } from "../../server/contract/past.ts";
import { apiPath, get } from "../api/client.ts";
import type { RunMoment } from "./run-model.ts";

const MOST = 40;

export class Replay {
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
