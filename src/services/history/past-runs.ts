// The runs of a workflow file that are looked back at.
import { resolve } from "node:path";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { parseDuration } from "../../language/schema/parse-duration.ts";
import { type Refused, refusal } from "../refusals.ts";
import { shownPath } from "../session/shown-path.ts";

export interface PastRuns {
  readonly cwd: string;
  readonly file: string;
  /** Only those that began within this time: `30d`. */
  readonly since?: string;
  readonly limit?: number;
}

/** Newest first; what waits for its first drive has no past. */
export async function pastRuns(store: RunStore, { cwd, file, since, limit }: PastRuns): Promise<readonly StoredRun[]> {
  const seconds = since === undefined ? undefined : parseDuration(since);
  if (since !== undefined && seconds === undefined)
    throw refusal(`${JSON.stringify(since)} is no age; write 30d, 12h or 90m`);
  const from = seconds === undefined ? 0 : Date.now() - seconds * 1000;
  const rows = await store.runs({ file: resolve(cwd, file), ...(limit === undefined ? {} : { limit }) });
  return rows.filter(({ status, started }) => status !== "queued" && Date.parse(started) >= from);
}

export const noRuns = ({ cwd, file, since }: PastRuns): Refused =>
  refusal(
    `there are no runs of ${shownPath(resolve(cwd, file), cwd)}${since === undefined ? "" : ` of the last ${since}`}`,
    { hint: "Run it first (segno run). Runs with --scenario do not count." },
  );
