// What waits for a worker, in a sentence.
import type { WorkersJson } from "../../../server/contract/operations.ts";
import { durationText, plural } from "../../parts/text.ts";

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
