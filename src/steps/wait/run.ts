// `type: wait`. Lets time pass on the attempt's clock, which scenario tests move by hand.
import { failed, raised, succeeded } from "../../base/errors/index.ts";
import { LONGEST_WAIT_SECONDS } from "../schema/readings.ts";
import { BadValue, type Executor } from "../step-type.ts";
import { renderText } from "../values.ts";
import type { WaitStep } from "./schema.ts";

export interface PreparedWait {
  readonly seconds: number;
  readonly reason?: string;
}

export const wait: Executor<WaitStep, PreparedWait> = {
  type: "wait",
  version: 1,

  prepare(step, { names }) {
    const duration = typeof step.duration === "string" ? renderText(step.duration, names) : step.duration;
    const seconds = durationOf(duration);
    return step.reason === undefined ? { seconds } : { seconds, reason: renderText(step.reason, names) };
  },

  async execute({ seconds, reason }, attempt) {
    const { node, key, clock, signal, waitingSince } = attempt;
    const began = clock.now();
    // A clock that was set back cannot make the wait longer than it was.
    const before = waitingSince === undefined ? 0 : Math.max(0, began - waitingSince);
    const left = Math.max(0, seconds * 1000 - before);
    attempt.emit("wait_started", {
      agent_name: node,
      key,
      duration_seconds: seconds,
      ...(waitingSince === undefined ? {} : { remaining_seconds: left / 1000 }),
      ...(reason ? { reason } : {}),
    });
    const wait = attempt.beginWait?.();
    await clock.sleep(left, wait ? AbortSignal.any([signal, wait.skipped]) : signal);
    wait?.end();
    // Clocks tick in milliseconds and timers may be a hair early; a wait that was not cut short was the one asked for.
    const passed = (before + clock.now() - began) / 1000;
    if (signal.aborted) {
      // The signal's owner knows why; a wait that was cut short is not done.
      const message = `the wait was cut short after ${passed} of ${seconds} s`;
      attempt.emit("wait_failed", { agent_name: node, error_type: "Aborted", message });
      return failed(raised("internal.timeout", message, { timeout_seconds: seconds, elapsed_seconds: passed }));
    }
    const skipped = wait?.skipped.aborted ?? false;
    const waited = skipped ? passed : Math.max(passed, seconds);
    attempt.emit("wait_completed", {
      agent_name: node,
      waited_seconds: waited,
      requested_seconds: seconds,
      ...(skipped ? { skipped } : {}),
    });
    return succeeded({ waited_seconds: waited });
  },
};

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
const FORMAT = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)?\s*$/;

/** Seconds of a length of time as people write it in a step: a number, `500ms`, `5s`, `2m`, `1h`, `1d`. */
function durationOf(value: unknown): number {
  const seconds = secondsOf(value);
  const refused = (expected: string): BadValue => new BadValue("duration", value, expected);
  if (seconds === undefined) throw refused("a duration is a number of seconds, or 500ms, 5s, 2m, 1h");
  if (seconds <= 0) throw refused("a duration is more than 0");
  if (seconds > LONGEST_WAIT_SECONDS) throw refused("a duration is at most 24h");
  return seconds;
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const negative = /^\s*-/.test(value);
  const [, amount, unit = "s"] = FORMAT.exec(negative ? value.replace("-", "") : value) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * (UNITS[unit] ?? 1) * (negative ? -1 : 1);
}
