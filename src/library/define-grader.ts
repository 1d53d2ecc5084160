// Own graders of evals: a function from a row and what came of it to a verdict.
import type { GradedRow, GradeVerdict, OwnGrader } from "../services/eval/own-grader.ts";
import { shown } from "./shown.ts";
import { checkGraderSpec } from "./wrong-call.ts";

/** `true` or `false`, a score from 0 to 1 (0.5 and more has passed), or the whole verdict. */
export type GraderVerdict = boolean | number | GradeVerdict;

export interface GraderSpec {
  /** What eval files say: `grader: <name>`. */
  readonly name: string;
  /** `options`: what the file says under `with`, templates rendered. */
  grade(row: GradedRow, options: Readonly<Record<string, unknown>>): GraderVerdict | Promise<GraderVerdict>;
}

/**
 * Defines a grader of evals. What it throws keeps the row from being measured.
 *
 * @example
 * const short = defineGrader({
 *   name: "short",
 *   grade: ({ output }, { most = 100 }) => String(output).length <= Number(most),
 * });
 * await runEval("triage.eval.yaml", { graders: [short] });
 */
export function defineGrader(spec: GraderSpec): OwnGrader {
  checkGraderSpec(spec);
  return {
    name: spec.name,
    async grade(row, options) {
      const verdict: unknown = await spec.grade(row, options);
      if (typeof verdict === "boolean") return { passed: verdict };
      if (typeof verdict === "number") return { passed: verdict >= 0.5, score: verdict };
      if (typeof verdict === "object" && verdict !== null && "passed" in verdict && typeof verdict.passed === "boolean")
        return verdict as GradeVerdict;
      throw new TypeError(
        `\`grade\` of the grader ${spec.name} gave ${shown(verdict)}; it must give true or false, a score, or { passed }`,
      );
    },
  };
}
