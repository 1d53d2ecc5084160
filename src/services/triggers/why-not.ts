// Whether a trigger's workflow can be started with what the trigger gives it, before anybody is told that it was.
import { inputsFor } from "../drive/given-inputs.ts";
import { Refused } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { validWorkflow } from "../valid-workflow.ts";
import { type Concealing, concealing } from "./concealed.ts";
import { asGivenInputs, type RefusedFiring } from "./fire.ts";
import type { KnownTrigger } from "./known-trigger.ts";

type Inputs = Readonly<Record<string, unknown>>;

export function whyNot(trigger: KnownTrigger, inputs: Inputs, surroundings: Surroundings): RefusedFiring | undefined {
  const { file, workflow: name } = trigger;
  const concealed = concealing(trigger, surroundings.env);
  try {
    return whyNotInputs(validWorkflow(file, surroundings), inputs, name, concealed);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { reason: concealed.text(`${name} cannot be run: ${problem.message}`), fault: "ours", fields: [] };
  }
}

function whyNotInputs(
  workflow: ReturnType<typeof validWorkflow>,
  inputs: Inputs,
  name: string,
  concealed: Concealing,
): RefusedFiring | undefined {
  const resolved = inputsFor(workflow, asGivenInputs(inputs));
  if (resolved.ok) return undefined;
  // A message quotes a value, perhaps cut: it is made anew from values without secrets.
  const shown = inputsFor(workflow, asGivenInputs(concealed.value(inputs) as Inputs));
  const texts = resolved.problems.map(({ input }) => {
    const same = shown.ok ? undefined : shown.problems.find((problem) => problem.input === input);
    return same?.message ?? `the input ${input} does not fit`;
  });
  return {
    reason: concealed.text(`its inputs are not what ${name} takes: ${texts.join("; ")}`),
    fault: "sender",
    fields: resolved.problems.map(({ input }) => `inputs.${input}`),
  };
}
