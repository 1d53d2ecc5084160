// What an operator reads, in words: a firing, what waits for a worker; and what is sent to fire a trigger by hand.
import type { FiringJson, TriggerJson, WorkersJson } from "../../server/contract/operations.ts";
import { dayAndTime, durationText, messageOf, plural, shortId } from "../text.ts";

/** Of a firing that made no run it matters why it was skipped or failed; of a run, how it ended. */
export function becameOf({ run_id, status, reason }: Pick<FiringJson, "run_id" | "status" | "reason">): string {
  if (run_id !== null) return reason ?? status;
  return reason === null ? status : `${status}, ${reason}`;
}

interface Cause {
  readonly by?: string;
  readonly person?: string;
  readonly scheduled_at?: string;
  readonly left_out?: { readonly count: number };
  readonly run?: { readonly run_id?: string };
}

/** What set a firing off, in a few words: a moment of a schedule, a run that ended, a delivery, or a person. */
export function setOffBy({ cause }: Pick<FiringJson, "cause">, now: number): string {
  const { by, person, scheduled_at, left_out, run } = (cause ?? {}) as Cause;
  const whose = by === "hand" ? (person ?? "someone") : null;
  const followed = run?.run_id === undefined ? "" : `run ${shortId(run.run_id)}`;
  if (whose !== null) return `${whose}, by hand${followed === "" ? "" : `, for ${followed}`}`;
  if (left_out) return `${plural(left_out.count, "moment")} when no server was up`;
  if (scheduled_at !== undefined) return `its schedule, ${dayAndTime(scheduled_at, now)}`;
  return followed === "" ? "a delivery" : `the end of ${followed}`;
}

/** What is sent to fire a trigger by hand, from what was written; a text is what is wrong with it. */
export function firingBody(setOffBy: TriggerJson["set_off_by"], written: string): object | string {
  const text = written.trim();
  if (setOffBy === "schedule" || text === "") return {};
  if (setOffBy === "run") return { run: text };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch (problem) {
    return `This is not JSON: ${messageOf(problem)}`;
  }
}

export function queueText({ waiting, delayed, oldest_ms }: NonNullable<WorkersJson["queue"]>): string {
  const oldest = oldest_ms === null ? "" : `, the oldest for ${durationText(Math.floor(oldest_ms / 1000) * 1000)}`;
  const resting =
    delayed === 0 ? "" : `; ${plural(delayed, "run")} ${delayed === 1 ? "waits for its" : "wait for their"} time`;
  const first =
    waiting === 0
      ? "No run waits for a worker"
      : `${plural(waiting, "run")} ${waiting === 1 ? "waits" : "wait"} for a worker`;
  return `${first}${oldest}${resting}.`;
}
