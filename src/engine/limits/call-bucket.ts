// One limit on calls to models, as all runs of a store share it: what is left of it, who waits, and whose turn is next.
// Pure: states go in and come out as plain data; the caller stores them.

/** What `limits:` says. */
export interface CallLimit {
  readonly provider: string;
  /** A name, or a pattern with `*`. */
  readonly model: string;
  readonly requests_per_minute?: number;
  readonly input_tokens_per_minute?: number;
  readonly concurrent?: number;
}

/** Who waits for a turn. */
export interface Ticket {
  readonly id: string;
  readonly run: string;
  /** Epoch milliseconds: since when, and when its process last asked. */
  readonly since: number;
  readonly seen: number;
}

/** So much was left at that time; it grows by a minute's worth in a minute, up to that. Below 0: more was used than there was. */
interface Level {
  readonly left: number;
  readonly at: number;
}

type Counted = "requests" | "input_tokens";

export interface BucketState {
  readonly limit: CallLimit;
  readonly levels: Partial<Readonly<Record<Counted, Level>>>;
  /** What a server reported to allow in a minute. */
  readonly reported: Partial<Readonly<Record<Counted, number>>>;
  /** A server refuses calls until then: epoch milliseconds. `by`: the limit that it named. */
  readonly closed: { readonly until: number; readonly by: string } | null;
  readonly waiting: readonly Ticket[];
  /** Turns so far, and the last one of each run: the run whose last turn is the longest ago is next. */
  readonly turns: number;
  readonly lastTurns: Readonly<Record<string, number>>;
}

const COUNTED: readonly Counted[] = ["requests", "input_tokens"];
const MINUTE_MS = 60_000;
/** A process that has not asked for so long is gone. */
const STALE_MS = 60_000;
/** Runs whose last turn is known; the others count as new. */
const MOST_RUNS = 1_000;

export const newBucket = (limit: CallLimit): BucketState => ({
  limit,
  levels: {},
  reported: {},
  closed: null,
  waiting: [],
  turns: 0,
  lastTurns: {},
});

/** How much a minute allows; nothing where neither the file nor a server limits it. */
export function perMinute({ limit, reported }: BucketState, what: Counted): number | undefined {
  const own = limit[`${what}_per_minute`];
  const theirs = reported[what];
  return own === undefined ? theirs : Math.min(own, theirs ?? own);
}

export function leftNow(state: BucketState, what: Counted, now: number): number | undefined {
  const most = perMinute(state, what);
  if (most === undefined) return undefined;
  const { left, at } = state.levels[what] ?? { left: most, at: now };
  return Math.min(most, left + (Math.max(0, now - at) * most) / MINUTE_MS);
}

/** When there is enough for another call. */
function freeAt(state: BucketState, now: number): number {
  const times = COUNTED.map((what) => {
    const left = leftNow(state, what, now);
    // Tokens are counted when a call has ended: what is there must only not be used up.
    const missing = left === undefined ? 0 : 1 - left;
    return missing <= 0 ? now : now + (missing * MINUTE_MS) / (perMinute(state, what) ?? 1);
  });
  return Math.max(now, state.closed?.until ?? 0, ...times);
}

export type TurnVerdict =
  | { readonly type: "go" }
  /** Ask again then. */
  | { readonly type: "wait"; readonly until: number; readonly ahead: number };

/** A place in the line, new or kept, and whether it is its turn. `limit`: as the run's own file has it. */
export function askForTurn(
  before: BucketState | undefined,
  limit: CallLimit,
  { id, run }: Pick<Ticket, "id" | "run">,
  now: number,
): { readonly state: BucketState; readonly verdict: TurnVerdict } {
  const known = before ?? newBucket(limit);
  const own = known.waiting.find((ticket) => ticket.id === id);
  const others = known.waiting.filter((ticket) => ticket.id !== id && ticket.seen > now - STALE_MS);
  const ticket: Ticket = { id, run, since: own?.since ?? now, seen: now };
  const closed = known.closed && known.closed.until > now ? known.closed : null;
  const state: BucketState = { ...known, limit, closed, waiting: [...others, ticket] };
  const ahead = inOrder(state).findIndex((one) => one.id === id);
  const free = freeAt(state, now);
  if (ahead === 0 && free <= now) return { state, verdict: { type: "go" } };
  return { state, verdict: { type: "wait", until: free, ahead } };
}

/** The line: a turn for each run, then the next one for each; within a run first come, first served. */
function inOrder({ waiting, lastTurns }: BucketState): readonly Ticket[] {
  const ofRun = new Map<string, number>();
  return [...waiting]
    .sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))
    .map((ticket) => {
      const round = ofRun.get(ticket.run) ?? 0;
      ofRun.set(ticket.run, round + 1);
      return { ticket, round, last: lastTurns[ticket.run] ?? 0 };
    })
    .sort((a, b) => a.round - b.round || a.last - b.last || a.ticket.since - b.ticket.since)
    .map(({ ticket }) => ticket);
}

export const nextInLine = (state: BucketState): Ticket | undefined => inOrder(state)[0];

/** The turn is taken: a request is used, and the place in the line is given up. */
export function takeTurn(before: BucketState, { id, run }: Pick<Ticket, "id" | "run">, now: number): BucketState {
  const turns = before.turns + 1;
  const lastTurns = Object.entries({ ...before.lastTurns, [run]: turns }).filter(
    ([, last]) => last > turns - MOST_RUNS,
  );
  const state = { ...leaveLine(before, id), turns, lastTurns: Object.fromEntries(lastTurns) };
  return { ...state, levels: { ...state.levels, ...used(state, "requests", 1, now) } };
}

export const leaveLine = (state: BucketState, id: string): BucketState => ({
  ...state,
  waiting: state.waiting.filter((ticket) => ticket.id !== id),
});

const used = (state: BucketState, what: Counted, amount: number, now: number): BucketState["levels"] => {
  const left = leftNow(state, what, now);
  return left === undefined ? {} : { [what]: { left: left - amount, at: now } };
};

/** One limit as a server reports it with an answer. */
export interface ServerLimit {
  readonly limit: string;
  readonly perMinute: number | null;
  readonly remaining: number | null;
  /** Epoch milliseconds. */
  readonly resetsAt: number | null;
}

/** A call has ended: its tokens are used, and what its server reported tightens the limit, never loosens it. */
export function endCall(
  before: BucketState,
  call: { readonly inputTokens: number; readonly limits: readonly ServerLimit[] },
  now: number,
): BucketState {
  let state: BucketState = {
    ...before,
    levels: { ...before.levels, ...used(before, "input_tokens", call.inputTokens, now) },
  };
  for (const { limit, perMinute: most, remaining, resetsAt } of call.limits) {
    if (remaining === 0 && resetsAt !== null && resetsAt > Math.max(now, state.closed?.until ?? 0))
      state = { ...state, closed: { until: resetsAt, by: limit } };
    if (limit !== "requests" && limit !== "input_tokens") continue;
    if (most !== null && most > 0) state = { ...state, reported: { ...state.reported, [limit]: most } };
    const left = leftNow(state, limit, now);
    if (left !== undefined && remaining !== null && remaining < left)
      state = { ...state, levels: { ...state.levels, [limit]: { left: remaining, at: now } } };
  }
  return state;
}
