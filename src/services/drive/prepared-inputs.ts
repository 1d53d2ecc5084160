// Inputs as a drive takes them: checked against what the file declares, with the secrets among them known.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import {
  createRedactor,
  type MetSecrets,
  type Redactor,
  secretsByName,
  secretsFromEnvironment,
} from "../../redact/index.ts";
import { invalidInputs } from "../refusals.ts";
import type { GivenInput } from "../request.ts";
import { type SplitInputs, splitSecrets, textsOf } from "../secrets/secret-inputs.ts";
import type { Session } from "../session/session.ts";
import { inputsFor } from "./given-inputs.ts";

export interface PreparedInputs {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The same as the journal has them, and the secrets, which it has not. */
  readonly split: SplitInputs;
  readonly redactor: Redactor;
}

export function prepareInputs(
  workflow: LoadedWorkflow,
  given: Readonly<Record<string, GivenInput>>,
  session: Session,
  /** What earlier drives of the run have to hide. */
  before: MetSecrets = { secrets: [], shortSecrets: [] },
): PreparedInputs {
  const resolved = inputsFor(workflow, given);
  if (!resolved.ok) throw invalidInputs(resolved.problems, workflow, session);
  const split = splitSecrets(workflow, resolved.inputs);
  const redactor = createRedactor({
    secrets: [...secretsFromEnvironment(session.env), ...secretsByName(resolved.inputs), ...before.secrets],
    shortSecrets: [...textsOf(split.secrets), ...before.shortSecrets],
  });
  return { inputs: resolved.inputs, split, redactor };
}
