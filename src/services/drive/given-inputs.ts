// From what a face was given to what a workflow takes: text is read by the declared type, values are checked against it.
import { type InputProblem, type ResolvedInputs, resolveInputs } from "../../engine/children/inputs.ts";
import { nearest } from "../../errors/nearest.ts";
import { parseJson } from "../../json/bounded.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { REDACTED } from "../../redact/index.ts";
import type { GivenInput } from "../request.ts";

type Given = Readonly<Record<string, GivenInput>>;
type Fields = NonNullable<LoadedWorkflow["definition"]["workflow"]["input"]>;

export function inputsFor(workflow: LoadedWorkflow, given: Given): ResolvedInputs {
  const fields = workflow.definition.workflow.input;
  const values: Record<string, unknown> = {};
  for (const [name, input] of Object.entries(given))
    values[name] = "value" in input ? valueFor(input, fields?.[name]?.type) : read(input.text, fields?.[name]?.type);
  const resolved = resolveInputs(fields, values, "refuse");
  const problems = [...(resolved.ok ? [] : resolved.problems), ...marksForSecrets(fields ?? {}, values)];
  return resolved.ok && problems.length === 0
    ? resolved
    : { ok: false, problems: problems.map((problem) => withSuggestions(problem, fields ?? {})) };
}

/** Whoever copies the inputs of a run has the mark where its secret was. Of any other input it may be meant as a text. */
const marksForSecrets = (fields: Fields, values: Readonly<Record<string, unknown>>): readonly InputProblem[] =>
  Object.keys(fields)
    .filter((name) => fields[name]?.secret && values[name] === REDACTED)
    .map((name) => ({
      input: name,
      message: `the input ${name} is a secret, and ${REDACTED} is what is shown in its place`,
      suggestions: [],
      hint: "Give the secret itself.",
    }));

const withSuggestions = (problem: InputProblem, fields: Fields): InputProblem => ({
  ...problem,
  suggestions: Object.hasOwn(fields, problem.input) ? [] : nearest(problem.input, Object.keys(fields)),
});

const valueFor = (
  { value, written }: { readonly value: unknown; readonly written?: string },
  type: string | undefined,
): unknown => (type === "string" && written !== undefined ? written : value);

/** Text for a declared type; what does not fit stays text, and is then refused with its type named. */
function read(text: string, type: string | undefined): unknown {
  switch (type) {
    case "string":
      return text;
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    case "boolean":
      return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
    case "array":
    case "object":
      return parsed(text);
    default:
      return undeclared(text);
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

function parsed(text: string): unknown {
  try {
    return parseJson(text) as unknown;
  } catch {
    return text;
  }
}

/** A file that declares no inputs gets Conductor's reading: true, false, null, JSON, numbers, else text. */
function undeclared(text: string): unknown {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  if (/^[[{]/.test(word)) return parsed(text);
  return word !== "" && Number.isFinite(Number(word)) ? Number(word) : text;
}
