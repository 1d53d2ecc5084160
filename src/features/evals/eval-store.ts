// Where evals are kept: a folder each below the home. The plan is written before anything runs, with the id of every run, and
// each row as soon as it is graded: whatever is killed goes on where it was.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { isRunId } from "../../storage/run-index.ts";
import type { RunStore } from "../../storage/store.ts";
import type { DatasetRow } from "./dataset.ts";
import type { EvalRow } from "./summary.ts";

export interface PlannedRun {
  /** Its place among the rows. */
  readonly row: number;
  readonly variant: string;
  /** From 1. */
  readonly repeat: number;
  readonly run_id: string;
}

export interface EvalPlan {
  readonly id: string;
  readonly name: string;
  /** Absolute paths. */
  readonly file: string;
  readonly workflow: string;
  readonly started_at: string;
  /** The commit of git that the file was evaluated at. */
  readonly commit: string | null;
  /** Of the eval file and its dataset. */
  readonly digest: string;
  /** Its runs are in the store of a fleet. */
  readonly is_on_fleet?: boolean;
  readonly variants: readonly { readonly name: string; readonly set: Readonly<Record<string, unknown>> }[];
  readonly repeat: number;
  readonly rows: readonly DatasetRow[];
  readonly runs: readonly PlannedRun[];
}

/** How it came out, once it is over: written last. */
export interface EvalEnd {
  readonly ended_at: string;
  readonly answer: unknown;
}

const FOLDER = "evals";
const PRIVATE = { mode: 0o600 } as const;

export class EvalFolder {
  readonly path: string;

  constructor(
    home: string,
    readonly id: string,
  ) {
    this.path = join(home, FOLDER, id);
  }

  begin(plan: EvalPlan): void {
    mkdirSync(join(this.path, "rows"), { recursive: true, mode: 0o700 });
    this.#whole("plan.json", plan);
  }

  plan(): EvalPlan {
    return JSON.parse(readFileSync(join(this.path, "plan.json"), "utf8")) as EvalPlan;
  }

  /** Gives its path. A file for all rows, or of one run. */
  saveScenario(name: string, scenario: unknown): string {
    const file = join(this.path, name);
    writeFileSync(file, JSON.stringify(scenario), PRIVATE);
    return file;
  }

  /** On the disk before it returns. */
  addRow(row: EvalRow): void {
    const file = openSync(join(this.path, "rows.jsonl"), "a", PRIVATE.mode);
    try {
      // A line that a kill has cut off is left behind as it is.
      writeSync(file, `\n${JSON.stringify(row)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** In the order of the plan. */
  rows({ runs }: EvalPlan): readonly EvalRow[] {
    const path = join(this.path, "rows.jsonl");
    const found = new Map<string, EvalRow>();
    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      const row = parsed(line);
      if (row?.run_id) found.set(row.run_id, row);
    }
    return runs.flatMap(({ run_id }) => found.get(run_id) ?? []);
  }

  end(answer: unknown): void {
    this.#whole("result.json", { ended_at: new Date().toISOString(), answer });
  }

  result(): EvalEnd | undefined {
    const path = join(this.path, "result.json");
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as EvalEnd) : undefined;
  }

  /** All of it or nothing. */
  #whole(name: string, value: unknown): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.new`, JSON.stringify(value), PRIVATE);
    renameSync(`${path}.new`, path);
  }
}

const parsed = (line: string): EvalRow | undefined =>
  unlessItThrows(() => (line === "" ? undefined : (JSON.parse(line) as EvalRow)), undefined);

/** Removes evals that lost the last of their runs. One that can go on stays, unless `resumable`. */
export async function removeEvalsWithout(
  store: RunStore,
  {
    home,
    removed,
    resumable,
  }: { readonly home: string; readonly removed: readonly string[]; readonly resumable: boolean },
): Promise<void> {
  const gone = new Set(removed);
  for (const { folder, plan } of removed.length === 0 ? [] : evalsIn(home)) {
    const ids = plan.runs.map(({ run_id }) => run_id);
    if (!ids.some((id) => gone.has(id)) || !(resumable || folder.result())) continue;
    if ((await store.summaries(ids)).length === 0) rmSync(folder.path, { recursive: true, force: true });
  }
}

/** Newest first. What cannot be read is left out. */
export function evalsIn(home: string): readonly { readonly folder: EvalFolder; readonly plan: EvalPlan }[] {
  const path = join(home, FOLDER);
  const ids = existsSync(path) ? readdirSync(path).filter(isRunId).sort().reverse() : [];
  return ids.flatMap((id) => {
    const folder = new EvalFolder(home, id);
    return unlessItThrows(() => [{ folder, plan: folder.plan() }], []);
  });
}
