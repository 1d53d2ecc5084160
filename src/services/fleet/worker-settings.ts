// How a worker of a fleet is set, by the environment.
import type { WorkerOptions } from "../../hosts/worker-host.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";

export interface WorkerSettings extends Pick<WorkerOptions, "beatMs" | "silenceMs" | "pollMs" | "protocol"> {
  readonly longestWaitMs: number;
}

/** Seconds from the environment. */
function seconds(env: Session["env"], name: string, usual: number): number {
  const text = env[name];
  if (text === undefined || text === "") return usual * 1000;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value * 1000;
  throw refusal(`${name} is ${JSON.stringify(text)}; it takes a number of seconds`);
}

export const workerSettings = (env: Session["env"]): WorkerSettings => ({
  beatMs: seconds(env, "SEGNO_BEAT_SECONDS", 2),
  silenceMs: seconds(env, "SEGNO_DEAD_SECONDS", 10),
  ...(env.SEGNO_POLL_SECONDS ? { pollMs: seconds(env, "SEGNO_POLL_SECONDS", 0) } : {}),
  longestWaitMs: seconds(env, "SEGNO_HELD_WAIT_SECONDS", 15),
  ...(env.SEGNO_PROTOCOL ? { protocol: env.SEGNO_PROTOCOL } : {}),
});
