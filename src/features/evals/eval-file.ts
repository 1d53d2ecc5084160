// An eval file: which workflow runs over which rows, in which variants, and how each row is graded.
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { readForeignFile } from "../../language/foreign-file.ts";
import type { Finding, LoadWorld, Location, NodePath } from "../../language/loaded.ts";
import { parseDuration } from "../../steps/schema/readings.ts";

const seconds = z
  .union([z.number().min(0), z.string()])
  .refine((value) => typeof value === "number" || parseDuration(value) !== undefined, {
    message: "this is no time: write 30s, 500ms or 2m",
  })
  .transform((value) => (typeof value === "number" ? value : (parseDuration(value) ?? 0)));

const share = z.number().min(0).max(1);

export const TRACE_MODES = ["strict", "unordered", "subsequence", "subset"] as const;

/** Exactly one of these says what a grade looks at. */
export const GRADERS = [
  "equals",
  "contains",
  "check",
  "schema",
  "trace",
  "no_errors",
  "cost_at_most",
  "duration_at_most",
  "judge",
  "grader",
  "script",
] as const;

const grade = z
  .strictObject({
    name: z.string().optional().describe("The name in the report."),
    value: z.unknown().optional().describe("What is looked at; the output when left out. A template."),
    equals: z.unknown().optional().describe("Passes when the value is like this. A template."),
    contains: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe("Passes when the text, or each text of a list, is in the value. A template."),
    check: z.string().optional().describe("Passes when this template is true."),
    schema: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe("Passes when the output fits this JSON Schema: a file beside the eval, or the schema itself."),
    trace: z.array(z.string()).optional().describe("Passes when these steps ran; `mode` says how exactly."),
    mode: z
      .enum(TRACE_MODES)
      .optional()
      .describe("With `trace`: these steps in this order, in any order, with others in between, or no others."),
    no_errors: z
      .union([z.literal(true), z.string(), z.array(z.string())])
      .optional()
      .describe("Passes when no error of these kinds was raised, handled or not; true: no error at all."),
    cost_at_most: z.number().min(0).optional().describe("Passes when the row cost at most so many dollars."),
    duration_at_most: seconds.optional().describe("Passes when the row took at most this long: `30s`."),
    judge: z.string().optional().describe("What a model is asked about the value. It gives a score from 0 to 1."),
    provider: z.string().optional().describe("With `judge`: the provider of the model."),
    model: z.string().optional().describe("With `judge`: the model."),
    at_least: share.optional().describe("The score from which it passes."),
    grader: z.string().optional().describe("The name of a grader of a plugin."),
    with: z.record(z.string(), z.unknown()).optional().describe("With `grader`: what it is given."),
    script: z
      .string()
      .optional()
      .describe(
        "A program beside the eval. It gets the row as JSON on stdin, and prints its grade or exits with 0 or 1.",
      ),
    args: z
      .array(z.union([z.string(), z.number(), z.boolean()]).transform(String))
      .optional()
      .describe("With `script`: its arguments."),
    timeout: seconds
      .optional()
      .describe("With `judge`, `grader` and `script`: the grade is not made when it takes longer; 5 minutes."),
  })
  .superRefine((given, { addIssue }) => {
    const named = GRADERS.filter((name) => given[name] !== undefined);
    if (named.length !== 1)
      addIssue({
        code: "custom",
        message: `a grade has exactly one of ${GRADERS.join(", ")}; this one has ${named.join(" and ") || "none"}`,
      });
    const [only] = named;
    for (const [field, owners] of Object.entries(ONLY_WITH))
      if (given[field as keyof typeof ONLY_WITH] !== undefined && only !== undefined && !owners.includes(only))
        addIssue({
          code: "custom",
          path: [field],
          message: `\`${field}\` belongs to ${owners.join(" or ")}, and this grade is ${only}`,
        });
  });

type OwnedField = "mode" | "provider" | "model" | "at_least" | "with" | "args" | "timeout";

const ONLY_WITH: Readonly<Record<OwnedField, readonly string[]>> = {
  mode: ["trace"],
  provider: ["judge"],
  model: ["judge"],
  at_least: ["judge", "grader", "script"],
  with: ["grader"],
  args: ["script"],
  timeout: ["judge", "grader", "script"],
};

const pastRunsOf = z.strictObject({
  since: z
    .string()
    .refine((age) => parseDuration(age) !== undefined, { message: "this is no age: write 30d, 12h or 90m" })
    .optional()
    .describe("Runs that began within this time: `30d`."),
  status: z.string().optional().describe("Runs that ended so."),
  limit: z.int().min(1).optional().describe("At most so many, the newest first."),
});

export const evalSchema = z
  .strictObject({
    workflow: z.string().describe("The workflow file, relative to this one."),
    name: z.string().optional().describe("The name in the report."),
    description: z.string().optional().describe("What it is about, for people."),
    step: z.string().optional().describe("Each run ends after this step of the workflow file."),
    dataset: z
      .union([z.string(), z.strictObject({ runs: pastRunsOf })])
      .optional()
      .describe("A file of rows beside the eval: `.jsonl`, `.json` or `.csv`."),
    runs: pastRunsOf.optional().describe("Instead of `dataset`: past runs of the workflow are the rows."),
    repeat: z.int().min(1).max(100).default(1).describe("How often each row runs."),
    variants: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe("The name in the report."),
          set: z
            .record(z.string(), z.unknown())
            .default({})
            .describe("Other values in the workflow file, by path: `classify.prompt`."),
        }),
      )
      .min(1)
      .default([{ name: "default", set: {} }])
      .describe("Versions of the workflow that are compared."),
    scenario: z.string().optional().describe("A scenario of the workflow. Its scripts answer in each run."),
    live: z.array(z.string()).default([]).describe("Steps that run for real."),
    grade: z.array(grade).min(1).describe("How each row is graded. A row passes when all its grades do."),
    budget_usd: z.number().positive().optional().describe("No row begins once so many dollars were spent."),
    fail_under: z
      .strictObject({ pass: share.describe("The share of rows that must pass, from 0 to 1.") })
      .optional()
      .describe("The command fails when fewer rows pass."),
  })
  .superRefine(({ dataset, runs, variants }, { addIssue }) => {
    if ((dataset === undefined) === (runs === undefined))
      addIssue({
        code: "custom",
        message: "an eval has either `dataset:`, a file of rows, or `runs:`, past runs of the workflow",
      });
    for (const [index, { name }] of variants.entries())
      if (variants.findIndex((one) => one.name === name) !== index)
        addIssue({ code: "custom", path: ["variants", index, "name"], message: `two variants are called ${name}` });
  });

export type EvalSpec = z.output<typeof evalSchema>;
export type GradeSpec = EvalSpec["grade"][number];
export type Grader = (typeof GRADERS)[number];

export const graderOf = (grade: GradeSpec): Grader => GRADERS.find((name) => grade[name] !== undefined) ?? "equals";

/** As the report names it: its own name, or what it looks at. */
export function gradeName(grade: GradeSpec, all: readonly GradeSpec[]): string {
  if (grade.name !== undefined) return grade.name;
  const named = (one: GradeSpec): string => one.name ?? one.grader ?? graderOf(one);
  const alike = all.filter((one) => named(one) === named(grade));
  return alike.length > 1 ? `${named(grade)} ${alike.indexOf(grade) + 1}` : named(grade);
}

/** Where the rows come from: a file, or past runs. */
export const rowsFrom = ({ dataset, runs }: EvalSpec): { readonly file: string } | { readonly runs: PastRunsOf } =>
  typeof dataset === "string" ? { file: dataset } : { runs: (dataset?.runs ?? runs) as PastRunsOf };

export type PastRunsOf = z.output<typeof pastRunsOf>;

export interface ReadEval {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  readonly spec?: EvalSpec;
  readonly findings: readonly Finding[];
  /** Where something stands in it, or its key. */
  at(path: NodePath, part?: "key"): Location;
}

/** `files`: as an editor has them, or those on disk. */
export function readEvalFile(path: string, files: LoadWorld): ReadEval {
  const nowhere = { file: path, line: 1, column: 1 };
  let text: string;
  try {
    text = Buffer.from(files.read(path)).toString("utf8");
  } catch (problem) {
    const message = `The eval file cannot be read: ${(problem as Error).message}.`;
    return { file: path, text: "", findings: [evalFinding(message, nowhere)], at: () => nowhere };
  }
  const { value, findings, at } = readForeignFile(evalSchema, { path, text, kind: "an eval", files });
  return { file: path, text, ...(value ? { spec: value } : {}), findings, at: at ?? (() => nowhere) };
}

export const evalFinding = (message: string, location: Location, suggestions: readonly string[] = []): Finding => ({
  rule: "eval",
  severity: "error",
  message,
  location,
  suggestions,
});

/** Files that an eval names stand beside it. */
export const beside = (evalFile: string, name: string): string => resolve(dirname(evalFile), name);
