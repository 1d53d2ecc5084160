// From what a face was given to what a workflow takes: text is read by the declared type, values are checked against it.

import { nearest } from "../../base/errors/nearest.ts";
import { hasFiniteNumbers } from "../../base/json/bounded.ts";
import {
  createRedactor,
  givenByName,
  REDACTED,
  type Redactor,
  type SeenSecrets,
  secretsByName,
  secretsFromEnvironment,
} from "../../base/redact/index.ts";
import { type InputProblem, type ResolvedInputs, resolveInputs, typeName } from "../../engine/children/inputs.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import type { FieldType } from "../../language/schema/index.ts";
import { readAsDeclared } from "../../steps/values.ts";
import { exactNumber } from "../../template/coerce.ts";
import { invalidInputs } from "../refusals.ts";
import type { GivenInput } from "../request.ts";
import { joined } from "../session/exit.ts";
import { type SplitInputs, splitSecrets, textsOf } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";

type Given = Readonly<Record<string, GivenInput>>;
type Fields = NonNullable<LoadedWorkflow["definition"]["workflow"]["input"]>;

export function inputsFor(workflow: LoadedWorkflow, given: Given): ResolvedInputs {
  const fields = workflow.definition.workflow.input;
  const typeOf = (name: string) => (fields && Object.hasOwn(fields, name) ? fields[name]?.type : undefined);
  // Set as data, also one that is named `__proto__`.
  const values = Object.fromEntries(
    Object.entries(given).map(([name, input]) => [name, valueFor(input, typeOf(name))]),
  );
  const resolved = resolveInputs(fields, values, "refuse");
  const refused = refusedOf(fields ?? {}, given);
  const found = resolved.ok ? infinite(resolved.inputs, given) : resolved.problems;
  const fitting = found.filter(({ input }) => !("refused" in (given[input] ?? {})));
  const problems = [...refused, ...fitting, ...marksForSecrets(fields ?? {}, values)];
  if (!fields && Object.hasOwn(values, "__proto__")) problems.push(NO_NAME);
  return resolved.ok && problems.length === 0
    ? resolved
    : { ok: false, problems: problems.map((problem) => withSuggestions(problem, fields ?? {})) };
}

const refusedOf = (fields: Fields, given: Given): readonly InputProblem[] =>
  Object.entries(given).flatMap(([input, one]) => {
    if (!("refused" in one)) return [];
    const isSecret = Object.hasOwn(fields, input) && fields[input]?.secret;
    return {
      input,
      message: `the input ${input} is ${isSecret ? "not what it must be" : one.refused}; an input is data that JSON can hold`,
      suggestions: [],
      hint: "Give texts, finite numbers, true, false, null, or lists and objects of these.",
    };
  });

const NO_NAME: InputProblem = {
  input: "__proto__",
  message: "`__proto__` cannot be the name of an input: JavaScript keeps it for itself",
  suggestions: [],
  hint: "Choose another.",
};

/** The journal would hold null, and a resume read that. */
const infinite = (inputs: Readonly<Record<string, unknown>>, given: Given): readonly InputProblem[] =>
  Object.keys(inputs)
    .filter((name) => !hasFiniteNumbers(inputs[name]))
    .map((name) => ({
      input: name,
      message: `the input ${name} is, or has, a number that JSON cannot hold`,
      suggestions: [],
      hint: Object.hasOwn(given, name) ? "Give a finite number, or a text." : "It is its default in the file.",
    }));

/** Inputs copied from a run hold the mark where a secret was. In any other input the mark may be meant as text. */
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

/** How it is written counts where the value itself is not of the declared type. */
function valueFor(input: GivenInput, type: FieldType | undefined): unknown {
  if ("refused" in input) return undefined;
  if ("text" in input) return type === undefined ? undeclared(input.text) : readAsDeclared(input.text, type);
  const { value, written } = input;
  return type === undefined || written === undefined || typeName(value) === type
    ? value
    : readAsDeclared(written, type);
}

/** A file that declares no inputs gets Conductor's reading: true, false, null, JSON, numbers that lose nothing, else text. */
function undeclared(text: string): unknown {
  const trimmed = text.trim();
  const word = trimmed.toLowerCase();
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  return /^[[{]/.test(word) ? readAsDeclared(text, "object") : (exactNumber(trimmed) ?? text);
}

export interface PreparedInputs {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The same as the journal has them, and the secrets, which it has not. */
  readonly split: SplitInputs;
  readonly redactor: Redactor;
}

/** What a refusal of inputs must not quote: values of secret inputs, and what stands under a secret-looking name. */
function secretsGiven({ definition }: LoadedWorkflow, given: Given): string[] {
  const fields = definition.workflow.input ?? {};
  return Object.entries(given).flatMap(([name, one]) => {
    const value = "text" in one ? one.text : "value" in one ? one.value : undefined;
    const isSecret = Object.hasOwn(fields, name) && fields[name]?.secret === true;
    return isSecret ? [...textsOf([value])] : givenByName({ [name]: value });
  });
}

export function prepareInputs(
  workflow: LoadedWorkflow,
  given: Given,
  session: Session,
  /** What earlier drives of the run have to hide. */
  before: SeenSecrets = { secrets: [], shortSecrets: [] },
): PreparedInputs {
  const resolved = inputsFor(workflow, given);
  if (!resolved.ok) {
    joined(
      session,
      createRedactor({ secrets: secretsFromEnvironment(session.env), shortSecrets: secretsGiven(workflow, given) }),
    );
    throw invalidInputs(resolved.problems, workflow, session);
  }
  const split = splitSecrets(workflow, resolved.inputs);
  const redactor = joined(
    session,
    createRedactor({
      secrets: [...secretsFromEnvironment(session.env), ...secretsByName(resolved.inputs), ...before.secrets],
      shortSecrets: [...textsOf(split.secrets), ...before.shortSecrets],
    }),
  );
  return { inputs: resolved.inputs, split, redactor };
}
