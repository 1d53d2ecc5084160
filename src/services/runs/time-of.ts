// A moment as people write it: a time, or an age before now.
import { parseDuration } from "../../steps/schema/readings.ts";
import { refusal } from "../refusals.ts";

/** Epoch milliseconds of an ISO time, or of an age such as `30d`. */
export function timeOf(text: string, now: number = Date.now()): number {
  const age = parseDuration(text);
  const time = age === undefined ? Date.parse(text) : now - age * 1000;
  if (Number.isNaN(time)) throw refusal(`${JSON.stringify(text)} is no time; write 2h, 1d or 2026-11-15T08:00:00Z`);
  return time;
}
