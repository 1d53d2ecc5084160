// The answers of `validate`, `errors` and `test` as checks.
import { whoHandles } from "../../../errors/index.ts";
import type { Entry, Place } from "../../../results/result.ts";
import type { BacktestAnswer } from "../../../services/history/backtest.ts";
import type { ScenarioReport } from "../../../services/scenarios/run-scenario.ts";
import type { TestAnswer } from "../../../services/scenarios/test.ts";
import { type ErrorsAnswer, isToBeExpected } from "../../../services/workflows/describe.ts";
import type { ValidateAnswer } from "../../../services/workflows/validate.ts";

/** A check for each file, and for what was found in files that these call or include. */
export function checksOfFiles({ files, errors, warnings }: ValidateAnswer): readonly ReportedCheck[] {
  const notes = notesOf(errors, warnings);
  const only = files.length === 1 ? files[0] : undefined;
  const fileOf = (note: ReportedFinding): string => note.place?.file ?? only ?? files[0] ?? "";
  const names = new Set([...files, ...notes.map(fileOf)]);
  return [...names].map((file) => ({ suite: file, name: file, notes: notes.filter((note) => fileOf(note) === file) }));
}

/** A check for each step that can raise something: what leaves the file unhandled was found. */
export function checksOfErrors({ file, steps, unhandled, success, ...answer }: ErrorsAnswer): readonly ReportedCheck[] {
  if (answer.workflow === null) return [{ suite: file, name: file, notes: notesOf(answer.errors, answer.warnings) }];
  // Only `--fail-on-unhandled` makes a failure of what leaves the file.
  const level = success ? "warning" : "error";
  return steps
    .filter(({ raises }) => raises.length > 0)
    .map(({ node_id, raises }) => ({
      suite: file,
      name: node_id,
      notes: unhandled
        .filter((one) => one.node_id === node_id && isToBeExpected(one.kind))
        .map(({ kind, raised_in, location }) => ({
          level,
          rule: "unhandled-error",
          message: leavingText({ kind, node_id, file, who: whoHandles(raises.find((one) => one.kind === kind) ?? {}) }),
          place: raised_in ?? location,
        })),
    }));
}

const leavingText = ({ kind, node_id, file, who }: Record<"kind" | "node_id" | "file" | "who", string>): string =>
  `${kind} of ${node_id} can leave ${file}: ${who}${who.endsWith("nobody") ? ` handles it. Give ${node_id} a route with \`on_error: ${kind}\`, or the workflow one under \`error_routes\`` : ""}.`;

export function checksOfScenarios({ scenarios, failed, error, errors }: TestAnswer): readonly ReportedCheck[] {
  if (scenarios.length === 0) return [{ suite: "scenarios", name: "scenarios", notes: notesOf(errors, []) }];
  // When every scenario passed, what is wrong is that they take too few error routes.
  const tooFew = failed === 0 && error !== null ? [coverageCheck(error)] : [];
  return [...scenarios.map(checkOfScenario), ...tooFew];
}

const coverageCheck = (message: string): ReportedCheck => ({
  suite: "coverage",
  name: "error routes",
  notes: [{ level: "error", rule: "error-coverage", message }],
});

const checkOfScenario = ({ file, workflow, name, findings, skipped, duration_ms }: ScenarioReport): ReportedCheck => ({
  suite: workflow,
  name,
  duration_ms,
  ...(skipped === undefined ? {} : { skipped }),
  notes: findings.map(({ message, place }) => ({
    level: "error",
    rule: "scenario",
    message: `${name}: ${message}`,
    place: place ?? { file, line: 1, column: 1 },
  })),
});

/** A check for each past run; only what would be worse fails, unless anything else was asked for. */
export function checksOfBacktest({ file, runs, errors, success }: BacktestAnswer): readonly ReportedCheck[] {
  if (runs.length === 0) return [{ suite: file, name: file, notes: notesOf(errors, []) }];
  return runs.map(({ run_id, verdict, step, line, was, now, why }) => ({
    suite: file,
    name: run_id,
    notes:
      verdict === "same"
        ? []
        : [
            {
              level: verdict === "worse" || !success ? "error" : "warning",
              rule: `backtest-${verdict}`,
              message: `run ${run_id} ${verdict === "unknown" ? `is unknown from ${step ?? "its start"} on: ${why}` : `is ${verdict}: ${was}, now ${now}`}`,
              place: { file, line: line ?? 1, column: 1 },
            },
          ],
  }));
}

function notesOf(errors: readonly Entry[], warnings: readonly Entry[]): readonly ReportedFinding[] {
  const noted =
    (level: ReportedFinding["level"]) =>
    ({ rule, category, message, location }: Entry): ReportedFinding => ({
      level,
      rule: rule ?? category ?? "segno",
      message,
      ...(location ? { place: location } : {}),
    });
  return [...errors.map(noted("error")), ...warnings.map(noted("warning"))];
}

// What a reporter tells of: checks, each with what was found. A validated file, a step's errors, a scenario are checks.

export interface ReportedFinding {
  readonly level: "error" | "warning";
  /** The rule, or the word that groups notes of this sort. */
  readonly rule: string;
  readonly message: string;
  readonly place?: Place;
}

export interface ReportedCheck {
  /** What it belongs to: the workflow's file. */
  readonly suite: string;
  readonly name: string;
  readonly notes: readonly ReportedFinding[];
  /** Why it was not made. */
  readonly skipped?: string;
  readonly duration_ms?: number;
}

/** Warnings are reported and fail nothing; `--strict` has made errors of them before they come here. */
export const failuresOf = ({ notes }: ReportedCheck): readonly ReportedFinding[] =>
  notes.filter(({ level }) => level === "error");

/** A sentence with its place, for formats that have no field for it. */
export const placed = ({ message, place }: ReportedFinding): string =>
  place ? `${place.file}:${place.line}:${place.column}: ${message}` : message;
