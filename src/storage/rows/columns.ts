// What columns hold in both stores: a run of the index (Postgres knows truth values, SQLite has 0 and 1), texts, and the
// secrets of a run.
import { createHash } from "node:crypto";
import type { FiguresPart, IndexedRun, IndexedStatus, RunFacts } from "../run-index.ts";
import type { SecretInputs, SecretsToKeep } from "../run-reader.ts";
import { inputMarks } from "./input-marks.ts";

// Neither database takes half of a surrogate pair, which would become another character, and a zero character ends a text or
// is refused. Such a text stands as JSON, every other as it is.

/** What a long key begins with that is kept as a digest (features/fleet/postgres/state.ts). */
export const DIGEST = "#sha256:";

const isOdd = (text: string): boolean =>
  /\0|\p{Surrogate}/u.test(text) || text.startsWith('"') || text.startsWith(DIGEST);

export const keptText = (text: string): string => (isOdd(text) ? JSON.stringify(text) : text);

export function textKept(kept: string): string {
  if (!kept.startsWith('"')) return kept;
  try {
    return JSON.parse(kept) as string;
  } catch {
    // Written before odd texts were kept as JSON.
    return kept;
  }
}

/** The name of a text that is kept once, however often it is spoken of. */
export const contentHash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What only the run's user can read: its secret inputs, and secrets that turned up in what it recorded, for later readers to hide. */
export interface KeptSecrets {
  readonly inputs: SecretInputs;
  readonly met: SecretsToKeep;
  /** The run is done and its events hold no secret any more: none is kept. */
  readonly forgotten?: true;
}

export const NOTHING_KEPT: KeptSecrets = { inputs: {}, met: { secrets: [], shortSecrets: [] } };

const FORMAT = 2;

export const FORGOTTEN: KeptSecrets = { ...NOTHING_KEPT, forgotten: true };

export const textOfKept = ({ inputs, met, forgotten }: KeptSecrets): string =>
  JSON.stringify({ format: FORMAT, inputs, met, forgotten });

/** Throws when it is no JSON, or of another shape. */
export function keptFrom(text: string): KeptSecrets {
  const read = JSON.parse(text) as Partial<KeptSecrets> & { readonly format?: unknown };
  // Earlier versions kept the inputs alone.
  if (read.format !== FORMAT) return { ...NOTHING_KEPT, inputs: { ...(read as SecretInputs) } };
  const { inputs, met, forgotten } = read;
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === "string");
  if (typeof inputs !== "object" || inputs === null || !isList(met?.secrets) || !isList(met?.shortSecrets))
    throw new TypeError("not the secrets of a run");
  return { inputs, met: met as SecretsToKeep, ...(forgotten === true ? { forgotten } : {}) };
}

export const together = (one: SecretsToKeep, other: SecretsToKeep): SecretsToKeep => ({
  secrets: [...new Set([...one.secrets, ...other.secrets])],
  shortSecrets: [...new Set([...one.shortSecrets, ...other.shortSecrets])],
});

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
  readonly name: string | null;
  readonly eval_id: string | null;
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
  name: row.name,
  evalId: row.eval_id,
});

/** In the order of `valuesOfRun`. */
export const RUN_COLUMNS = [
  "run_id",
  "workflow",
  "file",
  "status",
  "started",
  "ended",
  "host",
  "pid",
  "start",
  "failing_kind",
  "exit_code",
  "duration_ms",
  "cost_usd",
  "resumable",
] as const;

const ms = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

export const valuesOfRun = (run: Omit<IndexedRun, "name" | "evalId">) => [
  run.runId,
  run.workflow,
  run.file,
  run.status,
  ms(run.started),
  ms(run.ended),
  run.driver?.host ?? null,
  run.driver?.pid ?? null,
  run.driver?.start ?? null,
  run.failingKind,
  run.exitCode,
  run.durationMs,
  run.costUsd,
  Number(run.resumable),
];

/** In the order of `valuesOfFacts`, as the index of an embedded store has them. */
export const FACT_COLUMNS = ["name", "eval_id", "rehearsal", "input_marks"] as const;

export const valuesOfFacts = ({ name = null, evalId = null, isRehearsal = false, inputs = {} }: RunFacts) => [
  name,
  evalId,
  Number(isRehearsal),
  inputMarks(inputs),
];

interface FiguresRow {
  readonly workflow: string;
  readonly file: string;
  readonly runs: number | string;
  /** The oldest of these runs. */
  readonly last: string;
  readonly figures: string;
}

/** `limit`: how many runs were asked for at most; below 0 all. */
export function figuresPart(rows: readonly FiguresRow[], limit: number): FiguresPart {
  const runs = rows.reduce((sum, row) => sum + Number(row.runs), 0);
  const last = rows.map((row) => row.last).sort()[0];
  return {
    workflows: rows.map(({ workflow, file, figures }) => ({ workflow, file, figures })),
    runs,
    next: runs === limit ? last : undefined,
  };
}

// Times of rows are milliseconds since 1970; Postgres gives such large numbers as text.

export const isoTime = (milliseconds: number | string): string => new Date(Number(milliseconds)).toISOString();
