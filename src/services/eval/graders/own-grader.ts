// Graders of users: a function from a row and what came of it to a verdict.
import { isMapping } from "../../../errors/mapping.ts";

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
