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
}

/** Of a run that begins. */
export const factsOfStart = ({ inputs, hidden, ...facts }: Begun): RunFacts => ({
  ...facts,
  inputs: Object.fromEntries(Object.entries(inputs).filter(([name]) => !hidden.includes(name))),
});

/** Of a run as it stands. A store is no place for a secret. */
export const factsOfRun = (state: RunState, redactor: Redactor): RunFacts => ({
  ...factsOfStart({
    name: state.runName === null ? null : redactor.text(state.runName),
    evalId: state.evalId,
    isRehearsal: state.isRehearsal,
    inputs: state.inputs,
    hidden: state.hiddenInputs,
  }),
  figures: redactor.value(runFigures(state)) as RunFacts["figures"],
});
