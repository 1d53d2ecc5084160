// Whether a trigger's workflow can be started with what the trigger gives it, before the sender gets an answer.

import { PUT_IN_QUOTES } from "../../json/as-written.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { isLiteral } from "../../triggers/context.ts";
import { inputsFor } from "../drive/given-inputs.ts";
import { Refused } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { type Concealing, concealing } from "./concealed.ts";
import { asGivenInputs, type RefusedFiring } from "./fire.ts";
import type { KnownTrigger } from "./known-trigger.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** `changed`: the inputs that as texts would not be what the author wrote. */
export function whyNot(
  trigger: KnownTrigger,
  { inputs, changed }: { readonly inputs: Inputs; readonly changed: ReadonlySet<string> },
  session: Session,
  checked: (file: string) => LoadedWorkflow = (file) => validWorkflow(file, session),
): RefusedFiring | undefined {
  const { workflow: name } = trigger;
  const concealed = concealing(trigger, session.env);
  try {
    const workflow = checked(trigger.file);
    return whyNotInputs(trigger, concealed, (given) => inputsFor(workflow, asGivenInputs(given(inputs), changed)));
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { reason: concealed.text(`${name} cannot be run: ${problem.message}`), fault: "ours", fields: [] };
  }
}

function whyNotInputs(
  { workflow: name, inputs: said }: KnownTrigger,
  concealed: Concealing,
  resolve: (given: (inputs: Inputs) => Inputs) => ReturnType<typeof inputsFor>,
): RefusedFiring | undefined {
  const resolved = resolve((inputs) => inputs);
  if (resolved.ok) return undefined;
  // A message quotes a value, perhaps cut: it is made anew from values without secrets.
  const shown = resolve((inputs) => concealed.value(inputs) as Inputs);
  const texts = resolved.problems.map(({ input }) => {
    const same = shown.ok ? undefined : shown.problems.find((problem) => problem.input === input);
    return same?.message ?? `the input ${input} does not fit`;
  });
  const isChanged = resolved.problems.some(({ hint }) => hint === PUT_IN_QUOTES);
  return {
    reason: concealed.text(
      `its inputs are not what ${name} takes: ${texts.join("; ")}${isChanged ? `. ${PUT_IN_QUOTES}` : ""}`,
    ),
    // What stands in the project's own file no sender can change.
    fault: resolved.problems.every(({ input }) => isLiteral(said[input])) ? "ours" : "sender",
    fields: resolved.problems.map(({ input }) => `inputs.${input}`),
    ...(isChanged ? { hint: PUT_IN_QUOTES } : {}),
  };
}
