// Inputs that a file declares as secret: what is recorded has placeholders in their place.
import { placeholderOf } from "../../events/secret-names.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";

type Inputs = Readonly<Record<string, unknown>>;

export interface SplitInputs {
  /** For the journal: secrets are placeholders. */
  readonly journal: Inputs;
  /** Which of the journal's values are placeholders. */
  readonly names: readonly string[];
  readonly secrets: Inputs;
}

export function splitSecrets({ definition }: LoadedWorkflow, inputs: Inputs): SplitInputs {
  const fields = definition.workflow.input ?? {};
  const isSecret = (name: string): boolean => Object.hasOwn(fields, name) && fields[name]?.secret === true;
  const all = Object.keys(inputs);
  const names = all.filter(isSecret);
  return {
    journal: Object.fromEntries(all.map((name) => [name, isSecret(name) ? placeholderOf(name) : inputs[name]])),
    names,
    secrets: Object.fromEntries(names.map((name) => [name, inputs[name]])),
  };
}
