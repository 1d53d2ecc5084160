// Gates whose timeout passed while nobody drove their run: whoever serves drives those runs on, and the timeout counts.
import type { Question } from "../engine/people/ask.ts";
import type { Result } from "../results/result.ts";
import type { Driving } from "./request.ts";
import { resumeRun } from "./resume.ts";
import { withStore } from "./store.ts";

/** Runs that are paused at a question whose deadline has passed. */
export const runsPastTheirGates = (
  surroundings: Driving,
  now: number,
  isOurs: (file: string) => boolean = () => true,
): Promise<readonly string[]> =>
  withStore(surroundings, async (store) => {
    const due = new Set<string>();
    for (const { runId, question } of await store.state.gates.pending()) {
      const asked = question as Question;
      if (asked.kind === "dialog" || asked.deadline === undefined || Date.parse(asked.deadline) > now) continue;
      // One that is driven notices by itself.
      const run = await store.summary(runId);
      if (run?.status === "paused" && isOurs(run.file)) due.add(runId);
    }
    return [...due];
  });

/** Drives them on, one after the other; gives how each ended. */
export async function resumeDueGates(
  driving: Driving,
  now: number,
  isOurs?: (file: string) => boolean,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const target of await runsPastTheirGates(driving, now, isOurs))
    results.push(await resumeRun({ ...driving, target, inputs: {} }));
  return results;
}
