// A circuit breaker as data: a state that can be stored, and pure functions from one state to the next. The caller
// reads the clock and hands the time in; nothing here waits, stores or emits events.

export interface BreakerSettings {
  /** Failures in a row that open it. */
  readonly failure_threshold: number;
  /** Seconds until an open one lets a call through again. */
  readonly recovery_timeout: number;
  /** Successes that close it again. */
  readonly success_threshold: number;
  /** Calls let through at a time while it recovers. */
  readonly half_open_max: number;
}

export const BREAKER_DEFAULTS: BreakerSettings = {
  failure_threshold: 5,
  recovery_timeout: 60,
  success_threshold: 2,
  half_open_max: 1,
};

/** A call that was let through to find out whether things work again. */
export interface Probe {
  readonly id: string;
  /** Epoch milliseconds, as all times here. */
  readonly since: number;
}

export type BreakerState =
  | {
      readonly status: "closed";
      readonly failures: number;
      /** It was closed by hand. */
      readonly reset?: { readonly by: string; readonly at: number };
    }
  | { readonly status: "open"; readonly failures: number; readonly openedAt: number; readonly until: number }
  | {
      readonly status: "half_open";
      readonly failures: number;
      readonly openedAt: number;
      readonly successes: number;
      readonly probes: readonly Probe[];
    };

export type BreakerStatus = BreakerState["status"];

/** A change worth recording; made by exactly one caller. */
export type Transition = "opened" | "half_opened" | "closed";

export const CLOSED: BreakerState = { status: "closed", failures: 0 };

/** Who asks, and when; `isGone` says of a probe that its result will never be reported. */
export interface AdmissionRequest {
  readonly now: number;
  readonly probe: string;
  isGone(probe: Probe): boolean;
}

export type Admission =
  /** `probe`: the call is one, and must be reported on, or given back. */
  | { readonly admitted: true; readonly state: BreakerState; readonly probe: boolean; readonly transition?: Transition }
  | { readonly admitted: false; readonly state: BreakerState; readonly retryAfterMs: number };

export interface Reported {
  readonly state: BreakerState;
  readonly transition?: Transition;
}

/** How long to wait before asking again while all probes are out: their end is not known. */
const SOON_MS = 1000;

/** Asks before a call. The same state object comes back when nothing changed. */
export function admit(state: BreakerState, settings: BreakerSettings, asking: AdmissionRequest): Admission {
  const { now, probe: id } = asking;
  const probe: Probe = { id, since: now };
  switch (state.status) {
    case "closed":
      return { admitted: true, state, probe: false };
    case "open": {
      // A clock that was set back must not keep it open for longer than it was meant to be.
      const open = now < state.openedAt ? reopened(state.failures, state.until - state.openedAt, now) : state;
      if (now < open.until) return { admitted: false, state: open, retryAfterMs: open.until - now };
      const { failures, openedAt } = open;
      const half: BreakerState = { status: "half_open", failures, openedAt, successes: 0, probes: [probe] };
      return { admitted: true, state: half, probe: true, transition: "half_opened" };
    }
    case "half_open": {
      const out = state.probes.filter((one) => !asking.isGone(one));
      if (out.length < settings.half_open_max)
        return { admitted: true, state: { ...state, probes: [...out, probe] }, probe: true };
      const same = out.length === state.probes.length ? state : { ...state, probes: out };
      return { admitted: false, state: same, retryAfterMs: Math.min(SOON_MS, settings.recovery_timeout * 1000) };
    }
  }
}

/** A call went well. In half-open only probes count: a call from before it opened says nothing of now. */
export function countSuccess(state: BreakerState, settings: BreakerSettings, probe: string): Reported {
  if (state.status === "closed") return { state: state.failures === 0 ? state : CLOSED };
  if (state.status === "open") return { state };
  const probes = without(state.probes, probe);
  if (probes === state.probes) return { state };
  const successes = state.successes + 1;
  if (successes < settings.success_threshold) return { state: { ...state, successes, probes } };
  return { state: CLOSED, transition: "closed" };
}

/** A call failed in a way that counts. */
export function countFailure(state: BreakerState, settings: BreakerSettings, probe: string, now: number): Reported {
  const recoveryMs = settings.recovery_timeout * 1000;
  const failures = state.failures + 1;
  switch (state.status) {
    case "closed":
      if (failures < settings.failure_threshold) return { state: { status: "closed", failures } };
      return { state: reopened(failures, recoveryMs, now), transition: "opened" };
    case "open":
      return { state };
    case "half_open":
      if (without(state.probes, probe) === state.probes) return { state };
      return { state: reopened(failures, recoveryMs, now), transition: "opened" };
  }
}

/** A probe ended without news: it was cancelled, or never made the call. Its place is free again. */
export function giveBack(state: BreakerState, probe: string): BreakerState {
  if (state.status !== "half_open") return state;
  const probes = without(state.probes, probe);
  return probes === state.probes ? state : { ...state, probes };
}

const reopened = (failures: number, recoveryMs: number, now: number): BreakerState & { status: "open" } => ({
  status: "open",
  failures,
  openedAt: now,
  until: now + recoveryMs,
});

const without = (probes: readonly Probe[], id: string): readonly Probe[] =>
  probes.some((probe) => probe.id === id) ? probes.filter((probe) => probe.id !== id) : probes;
