// Findings of validation, and inputs that do not fit, as entries of `errors` and `warnings`.
import type { Redactor } from "../redact/index.ts";
import { COMMAND_LINE } from "./command-line.ts";
import { plainEntry } from "./entry.ts";
import type { Reader } from "./reader.ts";
import type { Entry, Place } from "./result.ts";

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
  readonly redactor?: Pick<Redactor, "text">;
}

export function findingEntry(
  { rule, message, location, end, suggestions, node, via }: FindingLike,
  { path, redactor }: Shown,
): Entry {
  const file = path(location.file);
  return plainEntry(
    {
      source: "validation",
      category: "static_validation",
      rule,
      message,
      node_id: node ?? null,
      fixable: true,
      owner: "workflow",
      location: { file, line: location.line, column: location.column, ...(end ? { end } : {}) },
      suggestions,
      hint:
        suggestions[0] === undefined
          ? `Change ${file} at line ${location.line}.`
          : `Change ${file} at line ${location.line}; did you mean ${suggestions[0]}?`,
      ...(via && via.length > 0 ? { via } : {}),
    },
    redactor,
  );
}

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
  /** The input's name. */
  readonly input?: string;
  readonly suggestions?: readonly string[];
  readonly hint?: string;
  /** How a value of its type is written, where that is JSON. */
  readonly example?: string;
}

export const inputEntry = (
  { message, input, suggestions = [], hint, example }: WrongInput,
  reader: Reader = COMMAND_LINE,
  redactor?: Redactor,
): Entry =>
  plainEntry(
    {
      source: "validation",
      category: "input_validation",
      message,
      fixable: true,
      owner: "input",
      suggestions,
      hint:
        hint ??
        (input === undefined
          ? "Correct the inputs, then run it again."
          : `Give it with ${reader.give({ what: "input", name: input, example })}.`),
    },
    redactor,
  );
