// What a store keeps of a run beside its journal, for lists, filters and figures.
import { runFigures } from "../../base/events/state/run-figures.ts";
import type { RunState } from "../../base/events/state/state.ts";
import type { Redactor } from "../../base/redact/index.ts";
import type { RunFacts } from "../../storage/run-index.ts";

interface Begun extends Pick<RunFacts, "name" | "evalId" | "isRehearsal"> {
  /** As the journal has them. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Names of those that are secret. */
  readonly hidden: readonly string[];
  readonly redactor: Redactor;
}

/** Of a run that begins. A store is no place for a secret. */
export const factsOfStart = ({ inputs, hidden, redactor, name, ...facts }: Begun): RunFacts => ({
  ...facts,
  name: name == null ? name : redactor.text(name),
  inputs: redactor.value(
    Object.fromEntries(Object.entries(inputs).filter(([input]) => !hidden.includes(input))),
  ) as RunFacts["inputs"],
});

/** Of a run as it stands. */
export const factsOfRun = (state: RunState, redactor: Redactor): RunFacts => ({
  ...factsOfStart({
    name: state.runName,
    evalId: state.evalId,
    isRehearsal: state.isRehearsal,
    inputs: state.inputs,
    hidden: state.hiddenInputs,
    redactor,
  }),
  figures: redactor.value(runFigures(state)) as RunFacts["figures"],
});
