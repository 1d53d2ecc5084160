// What a file means where the two dialects differ. Only the loader knows of dialects: everything else reads these fields.
import type { FileDialect } from "./names.ts";

/**
 * Each field with its value in a file of each dialect, and its value in runs that were begun before Segno had the field:
 * a run keeps the rules under which it began.
 */
const FIELDS = {
  /** A script that exits with another code than 0, or by a signal, raises `internal.script_error` without opting in. */
  failsOnExitCode: { agents: false, steps: true, before: false },
  /** An output that does not fit `output:` raises `internal.schema_violation` without opting in. */
  failsOnSchemaViolation: { agents: false, steps: true, before: false },
  /** An error envelope in the free text of an agent is raised without opting in. */
  raisesEnvelopesInText: { agents: false, steps: true, before: false },
  /** Such an envelope counts also where prose follows it, if it is the only JSON object and stands on lines of its own. */
  raisesEnvelopesBeforeProse: { agents: false, steps: true, before: false },
  /** An envelope is looked for in the answer of an agent with `output_mode: raw`. */
  raisesFromRawAnswers: { agents: false, steps: false, before: true },
  /** An agent with `output` is told to give an error in the place of the output, not against what it was told before. */
  tellsToRaiseInPlaceOfOutput: { agents: true, steps: true, before: false },
  /** An item that failed under `continue_on_error` is null in the list of `outputs`; otherwise later items move up. */
  keepsPlacesOfFailedItems: { agents: false, steps: true, before: true },
  /** Where `outputs` is a mapping by `key_by`, a failed item is there with null. */
  keepsKeysOfFailedItems: { agents: false, steps: false, before: true },
  /** `raise_when` is read for a status that an http step refuses also where its condition does not name `error`. */
  readsRulesForRefusals: { agents: false, steps: false, before: true },
  /** What the output of an `mcp` step is. */
  mcpOutput: { agents: "envelope", steps: "marked", before: "bare" },
  /** A tool's own error (`isError`) is raised without opting in. */
  raisesToolErrors: { agents: false, steps: true, before: true },
  /** Members of groups take the retries of `error_routes`, and their group does not. */
  retriesMembersByDefaults: { agents: true, steps: true, before: false },
  /** How `${NAME:-default}` is read: in `plain` style an empty variable is empty, and `$${` is no escape. */
  variables: { agents: "plain", steps: "shell", before: "shell" },
  /** A field of another step type, and an unknown key where Conductor takes any, are read over with a warning. */
  readsOverForeignKeys: { agents: true, steps: false, before: false },
  /** Empty values that Conductor takes for absent ones are absent: `when: ""`, `output: null` of a route … */
  passesOverEmptyValues: { agents: true, steps: false, before: false },
  /**
   * Names that nothing can refer to are allowed: `workflow`, `context` and `output`, names of inline steps that are used
   * twice, and options of gates and members of groups that are listed twice.
   */
  allowsUnreadableNames: { agents: true, steps: false, before: false },
  /** The exit code of a script that a signal ended: minus the signal's number, or 128 and that number as in shells. */
  signalCodes: { agents: "negative", steps: "shell", before: "shell" },
  /** A script with `output:` must print one JSON object, and its output is checked whatever its exit code is. */
  holdsScriptsToOutput: { agents: true, steps: false, before: false },
  /** `questions`: the transcript has numbers and no skipped questions, and a skipped answer is null. */
  numbersQuestions: { agents: true, steps: false, before: false },
  /** Agents of a child get the instructions of its callers too; instructions and skills stand in frames as in Conductor. */
  framesInstructions: { agents: true, steps: false, before: false },
  /** `input: [a.output.f?]`: the step is there and empty where it ran without that field. */
  keepsStepOfOptionalInput: { agents: true, steps: false, before: false },
  /** How `context.max_tokens` is measured and kept to; the newest output stays unless it is done as in Conductor. */
  trimsAsConductor: { agents: true, steps: false, before: false },
  /** In which dialect `pattern` of outputs is written. What the other one alone can read is read by that. */
  patterns: { agents: "python", steps: "re2", before: "re2" },
  /** How many step executions a run may have, where the file has no limit. */
  mostIterations: { agents: 10, steps: "unlimited", before: 10 },
  /** How often a step may be visited, where the file has no limit. */
  mostVisits: { agents: "unlimited", steps: 25, before: "unlimited" },
  /** Retries have one shape at routes, under `resilience` and on agents; older names are findings. */
  oneShapeOfRetries: { agents: false, steps: true, before: false },
} as const satisfies Readonly<Record<string, Readonly<Record<FileDialect | "before", unknown>>>>;

type Name = keyof typeof FIELDS;

export type Semantics = { readonly [Field in Name]: (typeof FIELDS)[Field][FileDialect | "before"] };

/** The fields of both dialects, as a run records them. */
export type RecordedSemantics = Readonly<Partial<Record<FileDialect, Readonly<Record<string, unknown>>>>>;

const tableOf = (value: (field: Name) => unknown): Semantics =>
  Object.fromEntries((Object.keys(FIELDS) as Name[]).map((field) => [field, value(field)])) as Semantics;

/** What files mean in this release. */
export const SEMANTICS: Readonly<Record<FileDialect, Semantics>> = {
  agents: tableOf((field) => FIELDS[field].agents),
  steps: tableOf((field) => FIELDS[field].steps),
};

/** `recorded`: what the run that the file is read for recorded when it began; `{}` of a run that recorded nothing. */
export function semanticsOf(dialect: FileDialect, recorded?: RecordedSemantics): Semantics {
  if (!recorded) return SEMANTICS[dialect];
  const then = recorded[dialect] ?? {};
  return tableOf((field) => (Object.hasOwn(then, field) ? then[field] : FIELDS[field].before));
}
