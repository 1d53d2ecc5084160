// What to do next, in a few sentences: from the result's own hints, and from what waits for a person.
import type { Result } from "../../results/index.ts";

export interface Circumstances {
  readonly result: Result;
  /** Whoever drives the run now. */
  readonly driver: { readonly pid: number; readonly host: string } | null;
  readonly letters: readonly string[];
  readonly canResume: boolean;
  /** How many things keep the file, as it is now, from being resumed with. */
  readonly refusals: number;
}

export function adviceFor({ result, driver, letters, canResume, refusals }: Circumstances): readonly string[] {
  if (driver)
    return [
      `It is being driven by pid ${driver.pid} on ${driver.host}. Watch it with: segno events ${result.run_id} --follow`,
    ];
  const next: string[] = [];
  if (refusals > 0) next.push("Correct the file first: as it is now, a resume would be refused.");
  if (result.gate?.answer) next.push(`Answer ${result.gate.node_id}: ${result.gate.answer}`);
  for (const { hint } of result.errors) if (hint && !next.includes(hint)) next.push(hint);
  if (result.status === "paused" && !result.gate?.answer && canResume)
    next.push(`Answer it at a terminal: segno resume ${result.run_id}`);
  const [letter] = letters;
  if (letter !== undefined)
    next.push(
      letters.length === 1
        ? `One dead letter waits: segno dlq retry ${letter}`
        : `${letters.length} dead letters wait: segno dlq list`,
    );
  if (next.length === 0 && result.success) next.push("Nothing needs to be done.");
  return next.slice(0, SHOWN);
}

const SHOWN = 5;
