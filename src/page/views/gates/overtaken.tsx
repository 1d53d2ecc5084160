// What became of a question that the user here had begun to answer: it was answered here, or someone else was first. Then
// the draft stays in sight.
import type { RunEvent } from "../../../events/registry.ts";
import type { GateJson } from "../../../server/contract/gates.ts";
import type { EventsJson } from "../../../server/contract/log.ts";
import { apiPath, get } from "../../api/client.ts";
import { Button, Icon } from "../../parts/button.tsx";
import { clock } from "../../parts/text.ts";
import { addressOf } from "../../state/address.ts";
import { dropDraft, readDraft } from "../../state/draft.ts";
import { useLoaded, useRepeatedWithRuns } from "../../state/loaded.ts";
import { draftName, type GateDraft, whoWasFirst } from "./gate-words.ts";

const TOLD_BY: readonly RunEvent["type"][] = [
  ...(["gate_resolved", "questions_completed"] as const),
  ...(["run_cancelled", "run_resumed", "workflow_completed", "workflow_failed"] as const),
];

interface OvertakenGateProps {
  readonly gate: GateJson;
  readonly close: () => void;
  /** A run's own page does not repeat which run it is. */
  readonly isInRun?: boolean;
}

export function OvertakenGate({ gate, close, isInRun = false }: OvertakenGateProps) {
  const { run_id, seq, workflow, path, node_id } = gate;
  const loaded = useLoaded(
    (signal) => get<EventsJson>(apiPath("runs", run_id, "events"), { after: seq, type: TOLD_BY.join(",") }, signal),
    [gate.id],
  );
  // The answer is taken a moment before the run goes on with it and records it.
  useRepeatedWithRuns(loaded.reload);
  const draft = readDraft<GateDraft>(draftName(gate));
  const chosen = gate.options.find(({ value }) => value === draft?.value)?.label;
  const written = Object.entries(draft?.inputs ?? {}).filter(([, text]) => text.trim() !== "");
  return (
    <article class="gate card" tabIndex={-1} aria-label={`${workflow ?? ""} ${node_id}`}>
      {!isInRun && (
        <div class="row wrap">
          <strong>{workflow}</strong>
          <span class="soft">{[...path, node_id].join(" / ")}</span>
        </div>
      )}
      <p class="note" role="alert">
        {whoWasFirst(gate, loaded.value.value?.events ?? [], clock)} Your answer was not taken.
      </p>
      {chosen !== undefined && <p class="soft">You had chosen “{chosen}”.</p>}
      {written.map(([name, text]) => (
        <label class="asked" key={name}>
          <span class="soft">What you wrote: {nameOf(gate, name)}</span>
          <textarea class="field" rows={Math.min(8, text.split("\n").length)} readOnly value={text} />
        </label>
      ))}
      <footer class="row">
        <Button
          label="Close"
          onClick={() => {
            dropDraft(draftName(gate));
            close();
          }}
        />
        {!isInRun && (
          <a class="button" href={gateRun(gate)}>
            <Icon name="back" /> Back to the run
          </a>
        )}
      </footer>
    </article>
  );
}

const nameOf = ({ questions }: GateJson, name: string): string => questions.find(({ id }) => id === name)?.text ?? name;

/** It was taken; another person was faster; or the gate was made to ask something else, which waits now. */
export type AnswerFate =
  | (AnsweredGate & { readonly became: "taken" })
  | { readonly gate: GateJson; readonly became: "late" | "changed" };

export interface AnsweredGate {
  readonly gate: GateJson;
  /** What was answered. */
  readonly said: string;
}

export function AnsweredNote({ answered: { gate, said } }: { readonly answered: AnsweredGate }) {
  return (
    <div class="note answered" role="status">
      <span class="status is-completed">
        <Icon name="completed" />
        {gate.workflow} · {[...gate.path, gate.node_id].join(" / ")}
      </span>
      <span>{said}</span>
      <span class="grow" />
      <a class="button" href={gateRun(gate)}>
        <Icon name="back" /> Back to the run
      </a>
    </div>
  );
}

/** The run that asks, with the step that does. */
export const gateRun = ({ run_id, path, node_id }: GateJson): string =>
  addressOf(`/runs/${encodeURIComponent(run_id)}`, { step: [...path, node_id].join("/") });
