// What is sent to fire a trigger by hand, from what was written; a text is what is wrong with it.
import type { TriggerJson } from "../../../server/contract/triggers.ts";

export function firingBody(setOffBy: TriggerJson["set_off_by"], written: string): object | string {
  const text = written.trim();
  if (setOffBy === "schedule" || text === "") return {};
  if (setOffBy === "run") return { run: text };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch (problem) {
    return `This is not JSON: ${problem instanceof Error ? problem.message : String(problem)}`;
  }
}
