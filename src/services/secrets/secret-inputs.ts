// Secret inputs: kept in a file of their own, listed by name in the journal, put back where a run reads them.
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import { isUnguessable } from "../../redact/index.ts";

export { type SplitInputs, splitSecrets } from "../../engine/children/secret-inputs.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** Inputs as a journal has them, and which of them stand there for a secret. */
export interface JournalInputs {
  readonly inputs: Inputs;
  readonly hiddenInputs: readonly string[];
}

export const joinSecrets = ({ inputs, hiddenInputs }: JournalInputs, secrets: Inputs): Inputs =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, hiddenInputs.includes(name) ? secrets[name] : value]),
  );

/** Whether a sub-workflow, at any depth, declares a secret input. */
export const childTakesSecrets = (workflow: LoadedWorkflow): boolean =>
  [...workflow.children.values()]
    .flatMap(familyOf)
    .some(({ definition }) => Object.values(definition.workflow.input ?? {}).some(({ secret }) => secret === true));

/** Shorter lines of a secret would hide ordinary words. */
const LINE = 8;

/** Every text inside the values of secret inputs. Their names are those of the file: hidden, no reader would find them. */
export function* textsOf(secrets: Inputs | readonly unknown[]): Iterable<string> {
  for (const value of Object.values(secrets)) yield* textsIn(value);
}

/** Of a text with several lines also each line, since tools print them so. */
function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    yield value;
    if (value.includes("\n")) yield* value.split(/\r?\n/).filter((line) => line.trim().length >= LINE);
  } else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      // A table of tokens has some of them for its keys.
      if (!Array.isArray(value) && isUnguessable(name)) yield name;
      yield* textsIn(inner);
    }
}
