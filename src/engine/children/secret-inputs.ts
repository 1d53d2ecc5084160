// Inputs that a file declares as secret: what is recorded refers to them by name.
import type { LoadedWorkflow } from "../../language/loaded.ts";

type Inputs = Readonly<Record<string, unknown>>;

export interface SplitInputs {
  /** For the journal: secrets are references. */
  readonly journal: Inputs;
  readonly secrets: Inputs;
}

export const REFERENCE = "$secret";

export function splitSecrets({ definition }: LoadedWorkflow, inputs: Inputs): SplitInputs {
  const fields = definition.workflow.input ?? {};
  const isSecret = (name: string): boolean => Object.hasOwn(fields, name) && fields[name]?.secret === true;
  const names = Object.keys(inputs);
  return {
    journal: Object.fromEntries(names.map((name) => [name, isSecret(name) ? { [REFERENCE]: name } : inputs[name]])),
    secrets: Object.fromEntries(names.filter(isSecret).map((name) => [name, inputs[name]])),
  };
}
