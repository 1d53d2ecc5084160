// Secret inputs: kept in a file of their own, named in the journal, put back where a run reads them.
import type { LoadedWorkflow } from "../language/loaded.ts";

type Inputs = Readonly<Record<string, unknown>>;

export interface SplitInputs {
  /** For the journal: secrets are references. */
  readonly journal: Inputs;
  readonly secrets: Inputs;
}

const REFERENCE = "$secret";

export function splitSecrets(workflow: LoadedWorkflow, inputs: Inputs): SplitInputs {
  const fields = workflow.definition.workflow.input ?? {};
  const isSecret = (name: string): boolean => fields[name]?.secret === true;
  const names = Object.keys(inputs);
  return {
    journal: Object.fromEntries(names.map((name) => [name, isSecret(name) ? { [REFERENCE]: name } : inputs[name]])),
    secrets: Object.fromEntries(names.filter(isSecret).map((name) => [name, inputs[name]])),
  };
}

export const joinSecrets = (journal: Inputs, secrets: Inputs): Inputs =>
  Object.fromEntries(
    Object.entries(journal).map(([name, value]) => [name, isReference(value) ? secrets[name] : value]),
  );

const isReference = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, REFERENCE) && Object.keys(value).length === 1;

/** Shorter lines of a secret would hide ordinary words. */
const LINE = 8;

/** Every text inside the values of secret inputs; of one with several lines also each line, since tools print them so. */
export function* textsOf(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    yield value;
    if (value.includes("\n")) yield* value.split(/\r?\n/).filter((line) => line.trim().length >= LINE);
  } else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* textsOf(inner);
}
