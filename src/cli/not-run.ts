// The result of a command that no service could answer: a line that cannot be parsed, a crash of Segno itself, or a second
// Ctrl-C.
import { type Entry, type ExitCode, RESULT_SCHEMA, type Result, type ResultStatus } from "../results/result.ts";
import type { UsageError } from "./usage-error.ts";

function resultOf(status: ResultStatus, exitCode: ExitCode, entry: Entry, runId: string | null = null): Result {
  return {
    schema: RESULT_SCHEMA,
    success: false,
    status,
    exit_code: exitCode,
    run_id: runId,
    workflow: null,
    file: null,
    output: null,
    error: entry.message,
    errors: [entry],
    checkpoint: null,
    execution: null,
    metrics: null,
    termination: null,
    gate: null,
    warnings: [],
    artifacts: null,
  };
}

const common = { kind: null, node_id: null, action: null, retryable: false } as const;

export function misused(error: UsageError): Result {
  return resultOf("invalid", 2, {
    ...common,
    source: "validation",
    category: "input_validation",
    error_type: "Usage",
    message: error.message,
    fixable: true,
    owner: "input",
    suggestions: error.suggestions,
    hint: `Try: ${helpLine(error)}`,
  });
}

export const helpLine = ({ command }: UsageError): string => (command ? `segno ${command} --help` : "segno --help");

export function crashed(error: unknown): Result {
  return resultOf("failed", 1, {
    ...common,
    source: "runtime",
    category: "exception",
    error_type: error instanceof Error ? error.name : "Error",
    message: `Segno itself failed: ${messageOf(error)}`,
    fixable: false,
    owner: "engine",
    hint: "This is a defect in Segno, not in your workflow. Run it again with SEGNO_DEBUG=1 to see where it happened.",
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)) || "no message";

/** The person would not wait for the run to be closed properly. The journal has all that a resume needs. */
export function leftAtOnce(runId: string | null): Result {
  const entry: Entry = {
    ...common,
    source: "runtime",
    category: "execution_failure",
    error_type: "Cancelled",
    message: "You left before the run was closed; it can be resumed.",
    fixable: false,
    owner: "input",
    ...(runId === null ? {} : { hint: `To go on: segno resume ${runId}` }),
  };
  return resultOf("cancelled", 130, entry, runId);
}
