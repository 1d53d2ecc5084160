// `segno stats` over many runs, in either store: from the question to the answer, in the service.
import type { RunFigures } from "../../src/base/events/state/run-figures.ts";
import { statsOfRuns } from "../../src/services/runs/stats.ts";
import type { Session } from "../../src/services/session/session.ts";
import { median, processor, type Row } from "./measured.ts";

const STEPS = 8;

/** Of a run of eight steps, one of ten of which failed. */
export const figuresOf = (isFailed: boolean): RunFigures => ({
  end: isFailed ? "failed" : "completed",
  ms: 1234,
  usd: 0.0123,
  steps: Array.from({ length: STEPS }, (_, at) =>
    isFailed && at === STEPS - 1 ? [`step_${at}`, 100 + at, 0.001, ["external.api"]] : [`step_${at}`, 100 + at, null],
  ),
  models: { "some-model": 0.0123 },
});

const TIMES = 7;

/** Milliseconds of processor, the median: of the default, which counts the newest 10 000, and of 100 000. */
async function took(session: Session, limit?: number): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < TIMES; turn++) times.push(await processor(() => counted(session, limit)));
  return median(times);
}

async function counted(session: Session, limit = 10_000): Promise<void> {
  const { runs, error } = await statsOfRuns(session, { since: "3650d", limit });
  if (runs !== limit) throw new Error(`${runs} runs were counted, not ${limit}: ${error}`);
}

export async function statsRow(session: Session): Promise<Row> {
  const few = await took(session);
  const many = await took(session, 100_000);
  return {
    direction: "at most",
    target: 1,
    ratio: Math.max(few / 150, many / 1000),
    subject: `${few.toFixed(0)} ms for the newest 10 000 runs, ${many.toFixed(0)} ms for 100 000`,
    floor: `150 ms and 1 s; runs of ${STEPS} steps, of 20 workflows`,
  };
}
