// The runs of a workflow file that are looked back at.
import { resolve } from "node:path";
import type { RunEvent } from "../../events/registry.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { parseDuration } from "../../steps/schema/parse-duration.ts";
import { type Refused, refusal } from "../refusals.ts";
import { shownPath } from "../session/shown-path.ts";
import { reading } from "../session/store.ts";

export interface PastRuns {
  readonly cwd: string;
  readonly file: string;
  /** Only those that began within this time: `30d`. */
  readonly since?: string;
  readonly limit?: number;
}

/** Newest first. Runs that a scenario answered, rows of evals among them, and what waits for its first drive have no past. */
export async function pastRuns(
  store: RunStore,
  { cwd, file, since, limit = Number.POSITIVE_INFINITY }: PastRuns,
): Promise<readonly StoredRun[]> {
  const seconds = since === undefined ? undefined : parseDuration(since);
  if (since !== undefined && seconds === undefined)
    throw refusal(`${JSON.stringify(since)} is no age; write 30d, 12h or 90m`);
  const from = seconds === undefined ? 0 : Date.now() - seconds * 1000;
  const found: StoredRun[] = [];
  for (let before: string | undefined; ; ) {
    const page = await store.runs({
      file: resolve(cwd, file),
      limit: PAGE,
      before,
    });
    const inTime = page.filter(({ started }) => Date.parse(started) >= from);
    for (const run of inTime) {
      if (found.length >= limit) return found;
      if (run.status !== "queued" && !(await isRehearsal(store, run.runId))) found.push(run);
    }
    before = page.at(-1)?.runId;
    if (page.length < PAGE || inTime.length === 0) return found;
  }
}

const PAGE = 200;

/** What cannot be read counts: its reader says why it cannot. */
const isRehearsal = (store: RunStore, runId: string): Promise<boolean> =>
  reading(store, runId, async (reader) => {
    for await (const event of reader.events()) return isOfScenario(event);
    return false;
  }).catch(() => false);

/** Of a run's first event: a scenario answered the run, and nothing of it happened. */
export const isOfScenario = (event: RunEvent | undefined): boolean =>
  event?.type === "workflow_started" && event.data.system?.scenario !== undefined;

export const noRuns = ({ cwd, file, since }: PastRuns): Refused =>
  refusal(
    `there are no runs of ${shownPath(resolve(cwd, file), cwd)}${since === undefined ? "" : ` of the last ${since}`}`,
    { hint: "Run it first (segno run). Runs with --scenario and rows of evals do not count." },
  );
