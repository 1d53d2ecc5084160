// A run as both stores index it: the same columns, though Postgres knows truth values and SQLite has 0 and 1.
import type { IndexedRun, IndexedStatus } from "../run-index.ts";

export interface RunRow {
  readonly run_id: string;
  readonly workflow: string;
  readonly file: string;
  readonly status: IndexedStatus;
  readonly started: number | string;
  readonly ended: number | string | null;
  readonly host: string | null;
  readonly pid: number | null;
  readonly start: string | null;
  readonly failing_kind: string | null;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly cost_usd: number | null;
  readonly resumable: number | boolean;
}

export const indexedRun = (row: RunRow): IndexedRun => ({
  runId: row.run_id,
  workflow: row.workflow,
  file: row.file,
  status: row.status,
  started: isoTime(row.started),
  ended: row.ended === null ? null : isoTime(row.ended),
  driver: row.host === null ? null : { host: row.host, pid: row.pid ?? 0, start: row.start ?? "" },
  failingKind: row.failing_kind,
  exitCode: row.exit_code,
  durationMs: row.duration_ms,
  costUsd: row.cost_usd,
  resumable: Boolean(row.resumable),
});

/** In the order of `valuesOfRun`. */
export const RUN_COLUMNS = [
  ...["run_id", "workflow", "file", "status", "started", "ended", "host", "pid", "start"],
  ...["failing_kind", "exit_code", "duration_ms", "cost_usd", "resumable"],
] as const;

const ms = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

export const valuesOfRun = (run: IndexedRun) => [
  ...[run.runId, run.workflow, run.file, run.status, ms(run.started), ms(run.ended)],
  ...[run.driver?.host ?? null, run.driver?.pid ?? null, run.driver?.start ?? null],
  ...[run.failingKind, run.exitCode, run.durationMs, run.costUsd, Number(run.resumable)],
];

// Times of rows are milliseconds since 1970; Postgres gives such large numbers as text.

export const isoTime = (milliseconds: number | string): string => new Date(Number(milliseconds)).toISOString();
