// Turns of calls to models: a call waits until the limits of `runtime.limits` and of the project have room for it. All
// runs of the store or the fleet wait in one queue.
import { fitsStars } from "../../../base/errors/path-pattern.ts";
import {
  askForTurn,
  type BucketState,
  type CallLimit,
  endCall,
  leaveLine,
  newBucket,
  nextInLine,
  type TurnVerdict,
  takeTurn,
} from "../../../engine/limits/call-bucket.ts";
import { canonicalName } from "../../../providers/registry.ts";
import type { Caller, CallTurn, CallTurns } from "../../../steps/caller.ts";
import type { NamedStates, Slot } from "../../../storage/shared-state.ts";
import type { RunStore } from "../../../storage/store.ts";

/** Who asks for a longer wait than this is refused: a route that waits for the reset holds no worker meanwhile. */
const LONGEST_WAIT_MS = 120_000;
const SHORTEST_NAP_MS = 250;
const LONGEST_NAP_MS = 15_000;

/** The name under which all runs know it. */
export const limitName = ({ provider, model }: CallLimit): string => `${canonicalName(provider)} ${model}`;

export const slotScope = (name: string): string => `${name} (limit)`;

/** Those that a call falls under, always in the same order: two that wait for each other's would wait for ever. */
function limitsOn(
  { provider, model }: { readonly provider: string; readonly model: string },
  all: readonly CallLimit[],
): readonly CallLimit[] {
  const merged = new Map<string, CallLimit>();
  for (const limit of all) {
    if (canonicalName(limit.provider) !== canonicalName(provider) || !fitsStars(limit.model, model)) continue;
    merged.set(limitName(limit), tighter(limit, merged.get(limitName(limit))));
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, limit]) => limit);
}

const NUMBERS = ["requests_per_minute", "input_tokens_per_minute", "concurrent"] as const;

/** Where a file and its project name the same, the lower number counts. */
function tighter(limit: CallLimit, other: CallLimit | undefined): CallLimit {
  if (!other) return limit;
  const numbers = NUMBERS.flatMap((name) => {
    const said = [limit[name], other[name]].filter((value) => value !== undefined);
    return said.length === 0 ? [] : [[name, Math.min(...said)]];
  });
  return { ...limit, ...Object.fromEntries(numbers) };
}

export function storeTurns(store: RunStore, runId: string): CallTurns {
  let tickets = 0;
  return {
    async take(target, caller) {
      const limits = limitsOn(target, (caller.workflow.runtime.limits as readonly CallLimit[] | undefined) ?? []);
      const taken: Turn[] = [];
      const end: CallTurn["end"] = async (call) => {
        for (const turn of taken.reverse()) await turn.end(call);
      };
      for (const limit of limits) {
        const id = `${runId}:${++tickets}:${caller.key}`;
        const turn = new Turn({ store, caller, limit, ticket: { id, run: runId } });
        const closed = await turn.take();
        if (closed || caller.signal.aborted) {
          for (const one of taken) await one.giveBack();
          return { closed, end: async () => {} };
        }
        taken.push(turn);
      }
      return { end };
    },
  };
}

/** Those that wait in this process, by ticket: they need not find out by asking. */
const asleep = new Map<string, () => void>();

const wakeNext = (state: BucketState): void => asleep.get(nextInLine(state)?.id ?? "")?.();

/** One call under one limit. */
class Turn {
  readonly #name: string;
  readonly #table: NamedStates<BucketState>;
  #slot: Slot | undefined;
  #waitsSince: number | undefined;

  constructor(
    private readonly options: {
      readonly store: RunStore;
      readonly caller: Pick<Caller, "node" | "key" | "clock" | "signal" | "emit">;
      readonly limit: CallLimit;
      readonly ticket: { readonly id: string; readonly run: string };
    },
  ) {
    this.#name = limitName(options.limit);
    this.#table = options.store.state.limits as NamedStates<BucketState>;
  }

  /** Waits for the turn. Gives why there is none soon; nothing also when the signal aborted. */
  async take(): Promise<CallTurn["closed"]> {
    const { caller, ticket } = this.options;
    const { clock, signal } = caller;
    for (;;) {
      const now = clock.now();
      if (signal.aborted) return this.#leave();
      let { verdict, state } = await this.#ask(now);
      if (state.closed && state.closed.until - now > LONGEST_WAIT_MS) {
        await this.#leave();
        return { until: state.closed.until, by: state.closed.by, limit: this.#name };
      }
      if (verdict.type === "go" && (await this.#takeSlot())) {
        ({ verdict, state } = await this.#ask(now, (asked) => takeTurn(asked, ticket, now)));
        if (verdict.type === "go") {
          wakeNext(state);
          return this.#begun(now);
        }
        await this.#freeSlot();
      }
      this.#waits(now, verdict.type === "wait" ? verdict.until : null);
      const nap = verdict.type === "wait" ? Math.max(verdict.until - now, verdict.ahead * SHORTEST_NAP_MS) : 0;
      await this.#sleep(Math.min(Math.max(nap, SHORTEST_NAP_MS), LONGEST_NAP_MS));
    }
  }

  /** Until it is time to ask again, or this process sees that its turn has come. */
  async #sleep(ms: number): Promise<void> {
    const { caller, ticket } = this.options;
    const woken = new AbortController();
    asleep.set(ticket.id, () => woken.abort());
    await caller.clock.sleep(ms, AbortSignal.any([caller.signal, woken.signal]));
    asleep.delete(ticket.id);
  }

  async end(call: Parameters<CallTurn["end"]>[0]): Promise<void> {
    const { caller, limit } = this.options;
    // First what its server said: who gets the place next must see it.
    const state = await this.#table.update(this.#name, (before) =>
      endCall(before ?? newBucket(limit), call, caller.clock.now()),
    );
    await this.#freeSlot();
    wakeNext(state);
  }

  /** The call is not made after all. */
  giveBack(): Promise<void> {
    return this.end({ inputTokens: 0, limits: [] });
  }

  async #ask(now: number, whenGo: (state: BucketState) => BucketState = (state) => state) {
    const { limit, ticket } = this.options;
    let verdict: TurnVerdict = { type: "wait", until: now, ahead: 0 };
    const state = await this.#table.update(this.#name, (before) => {
      const asked = askForTurn(before, limit, ticket, now);
      verdict = asked.verdict;
      return verdict.type === "go" ? whenGo(asked.state) : asked.state;
    });
    return { verdict: verdict as TurnVerdict, state };
  }

  async #takeSlot(): Promise<boolean> {
    const { store, limit } = this.options;
    if (limit.concurrent === undefined) return true;
    this.#slot = await store.state.slots.acquire(slotScope(this.#name), limit.concurrent);
    return this.#slot !== undefined;
  }

  async #freeSlot(): Promise<void> {
    if (this.#slot) await this.options.store.state.slots.release(this.#slot);
    this.#slot = undefined;
  }

  async #leave(): Promise<undefined> {
    const { limit, ticket } = this.options;
    await this.#table.update(this.#name, (state) => leaveLine(state ?? newBucket(limit), ticket.id));
    return undefined;
  }

  #waits(now: number, until: number | null): void {
    if (this.#waitsSince !== undefined) return;
    this.#waitsSince = now;
    const { node: agent_name, key, emit } = this.options.caller;
    const more = until !== null && until > now ? { until: new Date(until).toISOString() } : {};
    emit("limit_wait_started", { agent_name, key, limit: this.#name, ...more });
  }

  #begun(now: number): undefined {
    if (this.#waitsSince === undefined) return;
    const { node: agent_name, key, emit } = this.options.caller;
    const waited_seconds = (now - this.#waitsSince) / 1000;
    emit("limit_wait_ended", { agent_name, key, limit: this.#name, waited_seconds });
  }
}
