// Where and when the errors of a run were raised, as its events tell. A group or a sub-workflow hands on what was raised
// inside of it: that leads down to the step that raised it, in the very item.
import type { Envelope } from "../../errors/index.ts";
import { isInside, itemOfKey } from "../../events/key.ts";
import type { EventData, RunEvent } from "../../events/registry.ts";

/** A step, as addresses name it. */
export interface RaisingStep {
  /** Slots of the sub-workflows that it is in. */
  readonly path: readonly string[];
  readonly node: string;
  readonly item: string | null;
}

export interface Raising extends RaisingStep {
  readonly at: string;
}

interface Heard {
  readonly place: string;
  readonly key: string | undefined;
  readonly error: string;
  readonly item: string | null;
  readonly raised: Raising;
}

export class Raisings {
  /** The last of each step and item. */
  readonly #latest = new Map<string, Heard>();
  readonly #sameError = new Map<string, Heard[]>();

  add(event: RunEvent): void {
    if (event.type !== "error_raised") return;
    const { path, ts, data } = event;
    const { node, key, error } = data;
    const item = key === undefined ? null : itemOfKey(key);
    const identity = identityOf(error);
    const same = this.#sameError.get(identity) ?? [];
    const raised = handedOn(data, same)?.raised ?? { path, node, item, at: ts };
    const heard: Heard = { place: placeOf(path, node), key, error: identity, item, raised };
    same.push(heard);
    this.#sameError.set(identity, same);
    this.#latest.set(placeOf(path, node, item), heard);
  }

  /** What a member of a group failed with last. */
  ofMember(path: readonly string[], node: string, item: string | null, error: Envelope): Raising | undefined {
    const heard = this.#latest.get(placeOf(path, node, item));
    return heard?.error === identityOf(error) ? heard.raised : undefined;
  }

  /** What a step failed with, in whichever item. What halts a run is made of the error that a route took. */
  ofStep(path: readonly string[], node: string, { cause, ...error }: Envelope): Raising | undefined {
    const place = placeOf(path, node);
    const same = this.#sameError.get(identityOf(error)) ?? [];
    const found = same.findLast((heard) => heard.place === place)?.raised;
    return found ?? (cause ? this.ofStep(path, node, cause) : undefined);
  }
}

/** The same error inside of what raises it now; of a group that of the item which it names. */
function handedOn({ node, key, error }: EventData<"error_raised">, same: readonly Heard[]): Heard | undefined {
  if (key === undefined || (error.propagated.length === 0 && error.raised_at.node === node)) return undefined;
  const within = (heard: Heard): boolean => heard.key !== undefined && isInside(heard.key, key);
  const isNamed = (heard: Heard): boolean => error.group !== node || heard.item === (error.item_key ?? null);
  return same.findLast((heard) => within(heard) && isNamed(heard)) ?? same.findLast(within);
}

const placeOf = (path: readonly string[], node: string, item?: string | null): string =>
  JSON.stringify([path, node, item]);

/** The same error, wherever it has got to. */
const identityOf = ({ kind, message, raised_at }: Envelope): string =>
  JSON.stringify([kind, message, raised_at.workflow, raised_at.node, raised_at.attempt]);
