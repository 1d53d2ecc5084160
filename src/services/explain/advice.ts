// What to do next, in a few sentences: from the result's own hints, and from what waits for a person.
import type { Entry, Reader, Result } from "../../base/results/index.ts";
import { type DrivingProcess, driverName } from "../reading/queued-run.ts";

export interface Circumstances {
  readonly result: Result;
  /** The process that drives the run now. */
  readonly driver: DrivingProcess | null;
  /** A fleet has it, and no worker drives it now: it goes on by itself. */
  readonly isInQueue: boolean;
  readonly letters: readonly string[];
  readonly canResume: boolean;
  /** How many things keep the file, as it is now, from being resumed with. */
  readonly refusals: number;
  /** The file's limits were edited, and a resume would not stop at them any more. */
  readonly areLimitsRaised?: boolean;
  readonly reader: Reader;
}

export function adviceFor(circumstances: Circumstances): readonly string[] {
  const { result, driver, isInQueue, letters, canResume, refusals, reader } = circumstances;
  const run = result.run_id ?? "";
  if (driver)
    return [`It is being driven by ${driverName(driver)}. Watch it with: ${reader.ask({ to: "follow", run })}`];
  if (isInQueue) return [`It goes on when a worker takes it. Watch it with: ${reader.ask({ to: "follow", run })}`];
  const next: string[] = [];
  if (refusals > 0) next.push("Correct the file first: as it is now, a resume would be refused.");
  if (result.gate?.answer) next.push(`Answer ${result.gate.node_id}: ${result.gate.answer}`);
  for (const error of result.errors) {
    const hint = adviceOn(error, circumstances);
    if (hint && !next.includes(hint)) next.push(hint);
  }
  if (result.status === "paused" && !result.gate?.answer && canResume) {
    const asked = reader.ask({ to: "be asked", run });
    next.push(asked === null ? "It waits for a person to answer." : `To be asked and answer: ${asked}`);
  }
  const hasLost = result.status === "degraded" || result.degraded === true;
  const lost = hasLost ? reader.ask({ to: "run lost items", run }) : null;
  const readers = result.degraded ? "" : ", and what reads it";
  if (lost !== null) next.push(`To run what its groups lost again${readers}: ${lost}`);
  const [letter] = letters;
  if (letter !== undefined)
    next.push(
      letters.length === 1
        ? `One dead letter waits: ${reader.ask({ to: "retry", letter })}`
        : `${letters.length} dead letters wait: ${reader.ask({ to: "retry", run })}`,
    );
  if (next.length === 0 && result.success) next.push("Nothing needs to be done.");
  return next.slice(0, SHOWN);
}

const SHOWN = 5;

const OF_LIMITS: ReadonlySet<string> = new Set([
  "MaxIterationsError",
  "MaxVisitsError",
  "TimeoutError",
  "BudgetExceededError",
]);

/** The result's hint was made when the run ended: a limit that has been raised since need not be raised again. */
function adviceOn({ error_type, hint }: Entry, { result, areLimitsRaised = false }: Circumstances): string | undefined {
  const resume = result.checkpoint?.resume;
  const isRaised = areLimitsRaised && error_type !== undefined && OF_LIMITS.has(error_type);
  return isRaised && resume ? `The limit has been raised. To go on: ${resume}` : hint;
}
