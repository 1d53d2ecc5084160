import { expect, it } from "vitest";
import * as z from "zod";
import { type EvalSpec, type GradeSpec, gradeName } from "../eval-file.ts";
import { signTest } from "../past-evals.ts";
import { differencesBetween, type EvalRow, summaryOf, wilson } from "../summary.ts";
import { type GradedRow, type GraderWorld, gradesOfRow, isTraceLike } from "./grade.ts";

const ROW: GradedRow = {
  inputs: { ticket: "money" },
  expected: { label: "refund", n: 3 },
  output: { label: "refund", text: "A Refund comes", n: "3" },
  row: { id: "t1", tags: [], variant: "today" },
  run: {
    id: "01",
    status: "completed",
    kind: null,
    steps: ["load", "classify"],
    errors: ["http.status"],
    cost_usd: 0.01,
    duration_ms: 2000,
  },
};

const judgedAs =
  (score: number): GraderWorld["judge"] =>
  async () => ({ score, why: "said so", cost_usd: 0.5 });

async function graded(grade: Partial<GradeSpec>, row: GradedRow = ROW, world: Partial<GraderWorld> = {}) {
  const spec = { grade: [grade] } as unknown as EvalSpec;
  const { grades, cost_usd } = await gradesOfRow(spec, row, {
    schemas: new Map([[grade as GradeSpec, z.object({ label: z.literal("refund") })]]),
    judge: judgedAs(0.7),
    script: async () => ({ passed: true, score: 0.2, why: "" }),
    ...world,
  });
  return { ...grades.at(-1), cost_usd, grades };
}

it.each<[Partial<GradeSpec>, boolean | null]>([
  [{ equals: "{{ expected.label }}", value: "{{ output.label }}" }, true],
  [{ equals: "{{ expected.n }}", value: "{{ output.n }}" }, true],
  [{ equals: { n: "3", text: "A Refund comes", label: "refund" } }, true],
  [{ equals: "other", value: "{{ output.label }}" }, false],
  [{ equals: "x", value: "{{ output.missing.field }}" }, false],
  [{ contains: "refund", value: "{{ output.text }}" }, true],
  [{ contains: ["refund", "sorry"], value: "{{ output.text }}" }, false],
  [{ check: "{{ output.label == expected.label }}" }, true],
  [{ check: "{{ run.cost_usd > 1 }}" }, false],
  [{ schema: "s.json" }, true],
  [{ trace: ["load", "classify"] }, true],
  [{ no_errors: ["provider.*"] }, true],
  [{ no_errors: ["http.*"] }, false],
  [{ cost_at_most: 0.01 }, true],
  [{ duration_at_most: 1 }, false],
  [{ judge: "Polite?" }, true],
  [{ judge: "Polite?", at_least: 0.8 }, false],
  [{ script: "g.sh" }, true],
  [{ script: "g.sh", at_least: 0.5 }, false],
  [{ grader: "none" }, null],
])("%j is %s", async (grade, passed) => {
  expect((await graded(grade)).passed).toBe(passed);
});

it("counts what judges cost, and makes no verdict of one that could not be asked", async () => {
  expect(await graded({ judge: "Polite?" })).toMatchObject({ passed: true, score: 0.7, why: "said so", cost_usd: 0.5 });
  const failed = await graded({ judge: "Polite?" }, ROW, { judge: async () => ({ failed: "no key", cost_usd: 0 }) });
  expect(failed).toMatchObject({ passed: null, why: "no key" });
});

it("does not pass a run that failed, unless a grade says which end is right", async () => {
  const failed = { ...ROW, run: { ...ROW.run, status: "failed", kind: "vcs.drift" } };
  expect((await graded({ cost_at_most: 1 }, failed)).grades[0]).toMatchObject({ name: "completed", passed: false });
  const wanted = await graded({ equals: "vcs.drift", value: "{{ run.kind }}" }, failed);
  expect(wanted.grades).toMatchObject([{ name: "equals", passed: true }]);
});

it("names grades of one sort apart", () => {
  const grades = [{ judge: "a" }, { judge: "b" }, { name: "mine", judge: "c" }] as GradeSpec[];
  expect(grades.map((one) => gradeName(one, grades))).toEqual(["judge 1", "judge 2", "mine"]);
});

it.each([
  ["strict", ["a", "b"], true],
  ["strict", ["a", "x", "b"], false],
  ["unordered", ["b", "a"], true],
  ["subsequence", ["a", "x", "b"], true],
  ["subsequence", ["b", "a"], false],
  ["subset", ["b"], true],
  ["subset", ["b", "x"], false],
] as const)("a trace of a, b is %s like %j: %s", (mode, steps, is) => {
  expect(isTraceLike(["a", "b"], steps, mode)).toBe(is);
});

const row = (id: string, variant: string, repeat: number, passed: boolean | null): EvalRow => ({
  id,
  variant,
  repeat,
  passed,
  grades: [],
  run_id: `${id}${variant}${repeat}`,
  status: "completed",
  kind: null,
  cost_usd: 0.1,
  duration_ms: 100,
  tokens: 5,
  tags: [],
  errors: [],
  why: null,
  grading_usd: 0,
});

it("counts repeats of a row as one row, and what was not measured nowhere", () => {
  const rows = [
    ...[row("1", "a", 1, true), row("1", "a", 2, false), row("2", "a", 1, true), row("2", "a", 2, true)],
    ...[row("3", "a", 1, null), row("3", "a", 2, true), row("1", "b", 1, null), row("1", "b", 2, null)],
  ];
  const [a, b] = summaryOf(["a", "b"], rows, 2);
  expect(a).toMatchObject({ measured: 5, passed: 4, rate: 0.833333, not_measured: 1, pass_at_k: 1, pass_all_k: 0.5 });
  expect(b).toMatchObject({ measured: 0, rate: null, low: null, high: null, pass_at_k: null });
  expect(differencesBetween(["a", "b"], rows)).toEqual([]);
});

it("knows Wilson's interval and the sign test by values from tables", () => {
  const [low, high] = wilson(0.8, 10);
  expect(low).toBeCloseTo(0.4902, 3);
  expect(high).toBeCloseTo(0.9433, 3);
  expect(signTest(5, 0)).toBeCloseTo(0.03125, 5);
  expect(signTest(3, 2)).toBeCloseTo(0.5, 5);
  expect(signTest(0, 0)).toBe(1);
});
