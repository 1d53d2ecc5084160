// What became of a question that the user here had begun to answer: it was answered here, or someone else was first. Then
// the draft stays in sight.
import type { GateJson } from "../../../server/contract/gates.ts";
import type { EventsJson } from "../../../server/contract/log.ts";
import { apiPath } from "../../api/client.ts";
import { Button, Icon, StepState } from "../../parts/button.tsx";
import { AskedText } from "../../parts/field.tsx";
import { RefusalNote } from "../../parts/pane.tsx";
import { runPath } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";
import { dropDraft, readDraft } from "../../state/draft.ts";
import { useAnswer, useRepeatedWithRuns } from "../../state/loaded.ts";
import { clock } from "../../text.ts";
import { draftName, type GateDraft, whoWasFirst } from "./gate-words.ts";

const TOLD_BY = "gate_resolved,questions_completed,run_cancelled,run_resumed,workflow_completed,workflow_failed";

interface OvertakenGateProps {
  readonly gate: GateJson;
  readonly close: () => void;
  /** A run's own page does not repeat which run it is. */
  readonly isInRun?: boolean;
}

export function OvertakenGate({ gate, close, isInRun = false }: OvertakenGateProps) {
  const { run_id, seq, workflow, node_id } = gate;
  const loaded = useAnswer<EventsJson>(apiPath("runs", run_id, "events"), { after: seq, type: TOLD_BY });
  // The answer is taken a moment before the run goes on with it and records it.
  useRepeatedWithRuns(loaded.reload);
  const draft = readDraft<GateDraft>(draftName(gate));
  const chosen = gate.options.find(({ value }) => value === draft?.value)?.label;
  const written = Object.entries(draft?.inputs ?? {}).filter(([, text]) => text.trim() !== "");
  const closeForGood = (): void => {
    dropDraft(draftName(gate));
    close();
  };
  return (
    <article class="gate column card" tabIndex={-1} aria-label={`${workflow ?? ""} ${node_id}`}>
      {!isInRun && (
        <div class="row wrap">
          <strong>{workflow}</strong>
          <span class="soft">{stepOfGate(gate, " / ")}</span>
        </div>
      )}
      <RefusalNote text={`${whoWasFirst(gate, loaded.value.value?.events ?? [], clock)} Your answer was not taken.`} />
      {chosen !== undefined && <p class="soft">You had chosen “{chosen}”.</p>}
      {written.map(([name, text]) => (
        <AskedText
          label={`What you wrote: ${gate.questions.find(({ id }) => id === name)?.text ?? name}`}
          rows={Math.min(8, text.split("\n").length)}
          value={text}
          key={name}
        />
      ))}
      <footer class="row">
        <Button label="Close" onClick={closeForGood} />
        {!isInRun && <BackToRun gate={gate} />}
      </footer>
    </article>
  );
}

/** It was taken; another person was faster; or the gate was made to ask something else, which waits now. */
export type AnswerFate =
  | (AnsweredGate & { readonly became: "taken" })
  | { readonly gate: GateJson; readonly became: "late" | "changed" };

export interface AnsweredGate {
  readonly gate: GateJson;
  readonly said: string;
}

export const AnsweredNote = ({ answered: { gate, said } }: { readonly answered: AnsweredGate }) => (
  <div class="note answered middle" role="status">
    <StepState state="completed" word={`${gate.workflow ?? ""} · ${stepOfGate(gate, " / ")}`} />
    <span>{said}</span>
    <span class="grow" />
    <BackToRun gate={gate} />
  </div>
);

const BackToRun = ({ gate }: { readonly gate: GateJson }) => (
  <a class="button" href={gateRun(gate)}>
    <Icon name="back" /> Back to the run
  </a>
);

/** The step that asks, with the sub-workflows that it is in. */
export const stepOfGate = ({ path, node_id }: GateJson, between: string): string => [...path, node_id].join(between);

/** The run that asks, with the step that does. */
export const gateRun = (gate: GateJson): string => addressOf(runPath(gate.run_id), { step: stepOfGate(gate, "/") });
