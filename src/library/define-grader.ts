// Own graders of evals: a function from a row and what came of it to a verdict.
import type { GradedRow, GradeVerdict, OwnGrader } from "../services/eval/graders/own-grader.ts";
import { shown } from "./shown.ts";
import { type AnySchema, type JsonSchemaLike, type KeptOr, readBy } from "./standard-schema.ts";
import { checkGraderSpec } from "./wrong-call.ts";

/** `true` or `false`, a score from 0 to 1 (0.5 and more has passed), or the whole verdict. */
export type GraderVerdict = boolean | number | GradeVerdict;

export interface GraderSpec<Schema extends AnySchema = JsonSchemaLike> {
  /** What eval files say: `grader: <name>`. */
  readonly name: string;
  /** What the file may say under `with`. What it refuses keeps the row from being measured. */
  readonly schema?: Schema;
  /** `options`: what the file says under `with`, templates rendered. */
  grade(row: GradedRow, options: KeptOr<Schema, Fields>): GraderVerdict | Promise<GraderVerdict>;
}

type Fields = Readonly<Record<string, unknown>>;

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
export function defineGrader<const Schema extends AnySchema = JsonSchemaLike>(spec: GraderSpec<Schema>): OwnGrader {
  checkGraderSpec(spec);
  return {
    name: spec.name,
    async grade(row, options) {
      const read = spec.schema ? await readBy(spec.schema, options) : { value: options };
      if ("refused" in read) throw new TypeError(`\`with\` of the grader ${spec.name}: ${read.refused.join("; ")}`);
      const verdict: unknown = await spec.grade(row, read.value as never);
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
