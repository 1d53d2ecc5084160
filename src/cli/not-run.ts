// The result of a command that never reached a service: a line that cannot be parsed, or a crash of Segno itself.
import { type Entry, type ExitCode, RESULT_SCHEMA, type Result, type ResultStatus } from "../results/result.ts";
import type { UsageError } from "./usage-error.ts";

function resultOf(status: ResultStatus, exitCode: ExitCode, entry: Entry): Result {
  return {
    schema: RESULT_SCHEMA,
    success: false,
    status,
    exit_code: exitCode,
    run_id: null,
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
