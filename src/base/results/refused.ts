// Results of what never became a run, and of Segno's own failures: the same object as any other.
import { atPlace, plainEntry } from "./entry.ts";
import { COMMAND_LINE, type Reader } from "./reader.ts";
import {
  type Entry,
  type ExitCode,
  type Head,
  type Place,
  RESULT_SCHEMA,
  type Result,
  type ResultStatus,
} from "./result.ts";

export interface About {
  readonly file?: string | null;
  readonly workflow?: string | null;
  readonly runId?: string | null;
  readonly warnings?: readonly Entry[];
}

function bare(status: ResultStatus, exitCode: ExitCode, errors: readonly Entry[], about: About): Result {
  return {
    ...head(exitCode, errors, about.warnings),
    status,
    run_id: about.runId ?? null,
    workflow: about.workflow ?? null,
    file: about.file ?? null,
    output: null,
    checkpoint: null,
    execution: null,
    metrics: null,
    termination: null,
    gate: null,
    artifacts: null,
  };
}

/** What every answer begins with; `dlq`, `runs`, `gate` and the others add their own part. */
export const head = (exitCode: ExitCode, errors: readonly Entry[] = [], warnings: readonly Entry[] = []): Head => ({
  schema: RESULT_SCHEMA,
  success: exitCode === 0,
  exit_code: exitCode,
  error: headline(errors),
  errors,
  warnings,
});

function headline(errors: readonly Entry[]): string | null {
  const [first] = errors;
  if (!first) return null;
  const line = atPlace(first.location, first.message);
  return errors.length > 1 ? `${line} (and ${errors.length - 1} more)` : line;
}

/** `validate` had nothing to object to. */
export const validResult = (about: About): Result => bare("valid", 0, [], about);

/** A file or inputs that do not load: nothing ran. */
export const invalidResult = (errors: readonly Entry[], about: About): Result => bare("invalid", 2, errors, about);

/** A run that was promised and is not to begin any more. */
export const calledOffResult = (runId: string): Result => bare("cancelled", 130, [], { runId });

export interface Refusal {
  readonly message: string;
  readonly hint?: string;
  readonly suggestions?: readonly string[];
  /** `UnknownRun`, `NotResumable`, `Driven`, `NoSuchOption` … */
  readonly errorType?: string;
}

/** Something that was asked and cannot be done: an unknown run, one that cannot be resumed, an answer that is no option. */
export function refusedResult({ message, hint, suggestions, errorType }: Refusal, about: About = {}): Result {
  const more = {
    ...(hint === undefined ? {} : { hint }),
    ...(suggestions && suggestions.length > 0 ? { suggestions } : {}),
    ...(errorType === undefined ? {} : { error_type: errorType }),
  };
  return bare("invalid", 2, [plainEntry({ ...OF_INPUT, message, ...more })], about);
}

const OF_INPUT = { source: "validation", category: "input_validation", fixable: true, owner: "input" } as const;

/** Segno itself failed: a defect, a store that cannot be used, or a run that another process has taken. */
export function crashResult(problem: unknown, about: About = {}, errorType?: string): Result {
  const message = problem instanceof Error ? problem.message : String(problem);
  const isStore = errorType === "StoreError" || errorType === "LeaseLost";
  const entry = plainEntry({
    category: "exception",
    message: message || "Segno failed without a message",
    owner: isStore ? "environment" : "engine",
    retryable: errorType === "StoreError",
    error_type: errorType ?? (problem instanceof Error ? problem.name : "Error"),
    // A store's message says itself what to do.
    hint: isStore
      ? undefined
      : "This is a defect in Segno, not in your workflow. Run it again with SEGNO_DEBUG=1 to see where it happened, and please report it.",
  });
  return bare("failed", 1, [entry], about);
}

/** What validation has to say; the language's own findings have this shape. */
export interface FindingLike {
  readonly rule: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly location: Place;
  /** Just after its last character. */
  readonly end?: { readonly line: number; readonly column: number };
  readonly suggestions: readonly string[];
  readonly node?: string;
  /** Steps that lead from the root file to a finding in a sub-workflow. */
  readonly via?: readonly string[];
}

export interface Shown {
  /** An absolute path as shown to the user: relative to where they stand. */
  readonly path: (file: string) => string;
}

export function findingEntry(
  { rule, message, location, end, suggestions, node, via }: FindingLike,
  { path }: Shown,
): Entry {
  const file = path(location.file);
  return plainEntry({
    source: "validation",
    category: "static_validation",
    rule,
    message,
    node_id: node ?? null,
    fixable: true,
    owner: "workflow",
    location: { file, line: location.line, column: location.column, ...(end ? { end } : {}) },
    suggestions,
    hint: isAboutFile(rule, location)
      ? `Check the path: ${file} cannot be read as a file.`
      : suggestions[0] === undefined
        ? `Change ${file} at line ${location.line}.`
        : `Change ${file} at line ${location.line}; did you mean ${suggestions[0]}?`,
    ...(via && via.length > 0 ? { via } : {}),
  });
}

/** The file itself is the problem, so that it has no line to change. */
const isAboutFile = (rule: string, { line, column }: { readonly line: number; readonly column: number }): boolean =>
  (rule === "missing-file" || rule === "unreadable-file") && line === 1 && column === 1;

/** Findings as the two lists of a result, each in the order it came. */
export function findingEntries(
  findings: readonly FindingLike[],
  shown: Shown,
): { readonly errors: Entry[]; readonly warnings: Entry[] } {
  const entries = (severity: FindingLike["severity"]): Entry[] =>
    findings.filter((finding) => finding.severity === severity).map((finding) => findingEntry(finding, shown));
  return { errors: entries("error"), warnings: entries("warning") };
}

/** An input that is missing, unknown, or of the wrong type. */
export interface WrongInput {
  readonly message: string;
  readonly input?: string;
  readonly suggestions?: readonly string[];
  readonly hint?: string;
  /** A value of its type, as JSON; none of a string. */
  readonly example?: string;
}

export const inputEntry = (
  { message, input, suggestions = [], hint, example }: WrongInput,
  reader: Reader = COMMAND_LINE,
): Entry =>
  plainEntry({
    ...OF_INPUT,
    message,
    suggestions,
    hint:
      hint ??
      (input === undefined
        ? "Correct the inputs, then run it again."
        : `Give it with ${reader.give({ what: "input", name: input, example })}.`),
  });
