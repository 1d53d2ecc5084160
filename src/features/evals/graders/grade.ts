// Grades of a row. A grade that could not be made is null: the row is then not measured, which is no failure of it.
import type { z } from "zod";
import { isMapping } from "../../../base/errors/mapping.ts";
import { misfitText } from "../../../base/errors/misfit.ts";
import { matches } from "../../../base/errors/selector.ts";
import { renderText, renderValue } from "../../../steps/values.ts";
import { references, TemplateError } from "../../../template/index.ts";
import { type EvalSpec, type GradeSpec, gradeName, graderOf, type TRACE_MODES } from "../eval-file.ts";

/** What a grader looks at, and what templates of grades have for names. */
export interface GradedRow {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  /** Of the run; of the step, where the eval is of one. Null: it has none. */
  readonly output: unknown;
  readonly row: { readonly id: string; readonly tags: readonly string[]; readonly variant: string };
  readonly run: {
    readonly id: string;
    readonly status: string;
    /** Of a run that failed. */
    readonly kind: string | null;
    /** Names of steps, in the order in which they began. */
    readonly steps: readonly string[];
    /** Kinds of all errors, those that were handled included. */
    readonly errors: readonly string[];
    readonly cost_usd: number | null;
    readonly duration_ms: number | null;
  };
}

export interface GradeVerdict {
  readonly passed: boolean;
  /** 0 to 1. */
  readonly score?: number;
  readonly why?: string;
}

/** What a grader gave, if it is a verdict. `exit`: what a program says that prints no `passed`. */
export function verdictIn(given: unknown, exit?: boolean): GradeVerdict | { readonly failed: string } {
  const { passed = exit, score, why } = isMapping(given) ? given : {};
  if (score !== undefined && !(typeof score === "number" && score >= 0 && score <= 1))
    return { failed: "its `score` is no number from 0 to 1" };
  if (typeof passed !== "boolean") return { failed: "it gave no `passed` that is true or false" };
  return { passed, ...(score === undefined ? {} : { score }), why: typeof why === "string" ? why : "" };
}

export interface OwnGrader {
  /** What files say: `grader: <name>`. */
  readonly name: string;
  /** `options`: what the file says under `with`, templates rendered. */
  grade(row: GradedRow, options: Readonly<Record<string, unknown>>): Promise<GradeVerdict>;
}

export interface Grade {
  readonly name: string;
  /** Null: it could not be made. */
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly why: string | null;
}

export interface GraderWorld {
  /** Those of plugins. */
  readonly own?: Readonly<Record<string, OwnGrader>> | undefined;
  readonly schemas: ReadonlyMap<GradeSpec, z.ZodType>;
  /** Stops everything that was begun for the eval. */
  readonly signal?: AbortSignal | undefined;
  judge(question: string, value: unknown, grade: GradeSpec, signal: AbortSignal): Promise<Judged>;
  script(
    file: string,
    args: readonly string[],
    row: GradedRow,
    signal: AbortSignal,
  ): Promise<GradeVerdict | { readonly failed: string }>;
}

export type Judged = { readonly cost_usd: number } & (
  | { readonly score: number; readonly why: string }
  | { readonly failed: string }
);

export interface RowGrades {
  readonly grades: readonly Grade[];
  /** What judges cost. */
  readonly cost_usd: number;
}

/** From here on a judge, or a script with a score of its own, has said yes. */
const ENOUGH = 0.5;

export async function gradesOfRow(spec: EvalSpec, row: GradedRow, world: GraderWorld): Promise<RowGrades> {
  const grades: Grade[] = [];
  let cost_usd = 0;
  const counted: GraderWorld = {
    ...world,
    async judge(...question) {
      const judged = await world.judge(...question);
      cost_usd += judged.cost_usd;
      return judged;
    },
  };
  if (!spec.grade.some(looksAtEnd)) grades.push(endedWell(row));
  for (const grade of spec.grade) {
    const name = gradeName(grade, spec.grade);
    grades.push({ name, ...(await gradeOf(grade, row, counted)) });
  }
  return { grades, cost_usd };
}

/** A grade of its own says what kind of end is right: otherwise a run that failed has not passed. */
const looksAtEnd = (grade: GradeSpec): boolean =>
  [grade.value, grade.check, grade.equals].some(
    (template) =>
      typeof template === "string" &&
      references(template).some(
        ({ path: [name, field] }) => name === "run" && (field === "status" || field === "kind"),
      ),
  );

function endedWell({ run: { status, kind } }: GradedRow): Grade {
  const passed = status === "completed" || status === "terminated" || status === "degraded";
  const why = passed ? null : `the run ${status}${kind === null ? "" : ` with ${kind}`}`;
  return { name: "completed", passed, score: Number(passed), why };
}

type Graded = Omit<Grade, "name">;

async function gradeOf(grade: GradeSpec, row: GradedRow, world: GraderWorld): Promise<Graded> {
  try {
    const { why, ...graded } = await within(grade.timeout ?? LONGEST_SECONDS, world.signal, (signal) =>
      asked(grade, row, world, signal),
    );
    return { ...graded, why: why && why.length > LONGEST_WHY ? `${why.slice(0, LONGEST_WHY)}…` : why };
  } catch (problem) {
    if (problem instanceof TemplateError) return said(false, problem.message);
    return { passed: null, score: null, why: `the grader failed: ${(problem as Error).message}` };
  }
}

/** So long a judge, a program or a plugin's grader may take, unless `timeout` says another time. */
const LONGEST_SECONDS = 300;
/** Every row is kept with the reasons of its grades. */
const LONGEST_WHY = 500;

async function within<Came>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Came>,
): Promise<Came> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      stop.abort();
      reject(new Error(`it took longer than ${seconds} s`));
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function asked(grade: GradeSpec, row: GradedRow, world: GraderWorld, signal: AbortSignal): Promise<Graded> {
  const names = row as unknown as Record<string, unknown>;
  const value = (): unknown => (grade.value === undefined ? row.output : renderValue(grade.value, names, "kept"));
  switch (graderOf(grade)) {
    case "equals": {
      const [wanted, given] = [renderValue(grade.equals, names, "kept"), value()];
      return said(isAlike(wanted, given), `it is ${shown(given)}, expected ${shown(wanted)}`);
    }
    case "contains": {
      const given = value();
      const text = typeof given === "string" ? given : (JSON.stringify(given) ?? "");
      const wanted = [grade.contains ?? []].flat().map((one) => renderText(one, names));
      const missing = wanted.filter((one) => !text.toLowerCase().includes(one.toLowerCase()));
      return said(missing.length === 0, `${missing.map((one) => JSON.stringify(one)).join(" and ")} is not in it`);
    }
    case "check": {
      const given = renderValue(grade.check, names, "coerced");
      return said(given === true, `it is ${shown(given)}, not true`);
    }
    case "schema": {
      const given = value();
      const parsed = world.schemas.get(grade)?.safeParse(given);
      const [issue] = parsed?.error?.issues ?? [];
      return said(parsed?.success === true, issue ? misfitText(issue, given) : "it does not fit its schema");
    }
    case "trace": {
      const { trace = [], mode = "strict" } = grade;
      return said(isTraceLike(trace, row.run.steps, mode), `it ran ${row.run.steps.join(", ") || "nothing"}`);
    }
    case "no_errors": {
      const found = row.run.errors.filter((kind) => matches(grade.no_errors ?? true, kind));
      return said(found.length === 0, `there was ${[...new Set(found)].join(", ")}`);
    }
    case "cost_at_most": {
      const { cost_usd } = row.run;
      if (cost_usd === null) return { passed: null, score: null, why: "what it cost is not known" };
      return said(cost_usd <= (grade.cost_at_most ?? 0), `it cost $${cost_usd.toFixed(4)}`);
    }
    case "duration_at_most": {
      const { duration_ms } = row.run;
      if (duration_ms === null) return { passed: null, score: null, why: "how long it took is not known" };
      return said(duration_ms <= (grade.duration_at_most ?? 0) * 1000, `it took ${(duration_ms / 1000).toFixed(1)} s`);
    }
    case "judge": {
      const judged = await world.judge(renderText(grade.judge ?? "", names), value(), grade, signal);
      if ("failed" in judged) return { passed: null, score: null, why: judged.failed };
      return { passed: judged.score >= (grade.at_least ?? ENOUGH), score: judged.score, why: judged.why };
    }
    case "grader": {
      const own = world.own?.[grade.grader ?? ""];
      if (!own) return { passed: null, score: null, why: `there is no grader ${grade.grader}` };
      return verdict(verdictIn(await own.grade(row, renderValue(grade.with ?? {}, names, "kept") as never)), grade);
    }
    case "script": {
      const args = (grade.args ?? []).map((one) => renderText(one, names));
      return verdict(await world.script(grade.script ?? "", args, row, signal), grade);
    }
  }
}

const said = (passed: boolean, why: string): Graded => ({ passed, score: Number(passed), why: passed ? null : why });

/** With `at_least` the score decides. */
function verdict(came: GradeVerdict | { readonly failed: string }, { at_least }: GradeSpec): Graded {
  if ("failed" in came) return { passed: null, score: null, why: came.failed };
  const { passed, score, why = "" } = came;
  const has = at_least === undefined || score === undefined ? passed : score >= at_least;
  return { passed: has, score: score ?? Number(has), why: why === "" ? null : why };
}

/** As values are compared in templates of tests: the text `3` and the number 3 are alike, and texts without their ends' spaces. */
function isAlike(a: unknown, b: unknown): boolean {
  const isScalar = (value: unknown): boolean => value === null || typeof value !== "object";
  if (isScalar(a) && isScalar(b)) return String(a ?? "").trim() === String(b ?? "").trim();
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

const LONGEST_SHOWN = 120;

function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

type TraceMode = (typeof TRACE_MODES)[number];

/** `strict`: these in this order; `unordered`: in any; `subsequence`: with others between; `subset`: no others. */
export function isTraceLike(wanted: readonly string[], steps: readonly string[], mode: TraceMode): boolean {
  switch (mode) {
    case "strict":
      return isSame(wanted, steps);
    case "unordered":
      return isSame([...wanted].sort(), [...steps].sort());
    case "subsequence": {
      let next = 0;
      for (const step of steps) if (step === wanted[next]) next += 1;
      return next === wanted.length;
    }
    case "subset":
      return steps.every((step) => wanted.includes(step));
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);
