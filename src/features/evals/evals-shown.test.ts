import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newRunId } from "../../storage/run-index.ts";
import { EvalFolder } from "./eval-store.ts";
import { evalShown, evalsShown } from "./past-evals.ts";

const KEY = "k3y-of-the-house";
const [cut, elsewhere] = [newRunId(), newRunId()];
const runs = [newRunId(), newRunId()] as const;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-evals-"));
  begin(cut, join(folder, "root"));
  begin(elsewhere, join(folder, "other"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = () => ({ cwd: join(folder, "root"), env: { API_KEY: KEY }, home: join(folder, "home") });

/** Killed after one of its two runs was graded. */
function begin(id: string, root: string): void {
  const kept = new EvalFolder(join(folder, "home"), id);
  kept.begin({
    id,
    name: "triage",
    file: join(root, "triage.eval.yaml"),
    workflow: join(root, "triage.yaml"),
    started_at: "2026-01-01T00:00:00.000Z",
    commit: null,
    digest: "x",
    repeat: 1,
    variants: [{ name: "today", set: {} }],
    rows: [],
    runs: runs.map((run_id, row) => ({ row, variant: "today", repeat: 1, run_id })),
  });
  kept.addRow({
    id: "t2",
    variant: "today",
    repeat: 1,
    passed: false,
    run_id: runs[1],
    status: "completed",
    kind: null,
    cost_usd: 0.01,
    duration_ms: 5,
    tokens: 3,
    tags: [],
    errors: [],
    why: null,
    grading_usd: 0,
    grades: [{ name: "equals", passed: false, score: null, why: `it is "${KEY}"` }],
  });
}

it("lists an eval that was killed, with what it has so far", () => {
  expect(evalsShown(session())).toMatchObject([
    { eval_id: cut, name: "triage", file: "triage.eval.yaml", ended_at: null, planned: 2, done: 1, problems: [] },
  ]);
});

it("shows none of a file elsewhere", () => {
  expect(evalsShown(session()).map(({ eval_id }) => eval_id)).not.toContain(elsewhere);
  expect(evalShown(elsewhere, session())).toBeUndefined();
});

it("hides a secret that a grade has found", () => {
  const shown = evalShown(cut, session());
  expect(shown?.rows).toMatchObject([{ id: "t2", run_id: runs[1], passed: false }]);
  expect(JSON.stringify(shown)).not.toContain(KEY);
});
