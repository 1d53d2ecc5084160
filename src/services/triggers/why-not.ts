// Whether a trigger's workflow can be started with what the trigger gives it, before anybody is told that it was.
import { prepareInputs } from "../drive/prepared-inputs.ts";
import { Refused } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { validWorkflow } from "../valid-workflow.ts";
import { asGivenInputs, type RefusedFiring } from "./fire.ts";
import type { KnownTrigger } from "./known-trigger.ts";

export function whyNot(
  { file, workflow: name }: KnownTrigger,
  inputs: Readonly<Record<string, unknown>>,
  surroundings: Surroundings,
): RefusedFiring | undefined {
  let fault: RefusedFiring["fault"] = "ours";
  try {
    const workflow = validWorkflow(file, surroundings);
    fault = "sender";
    prepareInputs(workflow, asGivenInputs(inputs), surroundings);
    return undefined;
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    const what = fault === "ours" ? `${name} cannot be run` : `its inputs are not what ${name} takes`;
    return { reason: `${what}: ${problem.message}`, fault };
  }
}
