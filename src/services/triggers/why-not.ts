// Whether a trigger's workflow can be started with what the trigger gives it, before the sender gets an answer.

import { PUT_IN_QUOTES } from "../../json/bounded.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { isLiteral } from "../../triggers/context.ts";
import { inputsFor } from "../drive/given-inputs.ts";
import { cellOfWorkflow } from "../fleet/place.ts";
import { Refused } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "../workflows/valid-workflow.ts";
import { asGivenInputs, type RefusedFiring } from "./fire.ts";
import type { FiringPlace } from "./firings.ts";
import { type Concealing, concealing, isRendered, type KnownTrigger } from "./known-trigger.ts";

type Inputs = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly inputs: Inputs;
  readonly changed: ReadonlySet<string>;
  /** On a fleet that is made of cells. */
  readonly place?: FiringPlace;
}

/** `changed`: the inputs that as texts would not be what the author wrote. */
export function whyNot(
  trigger: KnownTrigger,
  { inputs, changed, place }: Wanted,
  session: Session,
  checked: (file: string) => LoadedWorkflow = (file) => validWorkflow(file, session),
): RefusedFiring | undefined {
  const { workflow: name } = trigger;
  const concealed = concealing(trigger, session.env);
  try {
    const workflow = checked(trigger.file);
    const resolve = (given: Inputs) => inputsFor(workflow, asGivenInputs(given, changed));
    const resolved = resolve(inputs);
    // A message quotes a value, perhaps cut: it is made anew from values without secrets.
    if (!resolved.ok) return whyNotInputs(trigger, concealed, resolved, resolve(concealed.value(inputs) as Inputs));
    const elsewhere = place && whyNotThere(place, cellOfWorkflow(workflow, resolved.inputs));
    if (elsewhere === undefined) return undefined;
    // What a delivery brings may have decided it.
    const fault = isRendered(trigger.cell) ? "sender" : "ours";
    return { reason: concealed.text(`${name} cannot be run: ${elsewhere}`), fault, fields: ["cell"] };
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { reason: concealed.text(`${name} cannot be run: ${problem.message}`), fault: "ours", fields: [] };
  }
}

function whyNotInputs(
  { workflow: name, inputs: said }: KnownTrigger,
  concealed: Concealing,
  resolved: Extract<ReturnType<typeof inputsFor>, { readonly ok: false }>,
  shown: ReturnType<typeof inputsFor>,
): RefusedFiring {
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

/** A firing and its run are in one cell. */
function whyNotThere({ cell, cells }: FiringPlace, wanted: string | undefined): string | undefined {
  if (!cells.includes(cell)) return `there is no cell ${cell}; there are ${cells.join(", ")}`;
  if (wanted === undefined || wanted === cell) return undefined;
  return `it wants the cell ${wanted}, and its trigger fires in ${cell}. Give the trigger the same \`cell\``;
}
