// What became of a question that was just answered here, and the way back to its run.
import type { GateJson } from "../../../server/contract/gates.ts";
import { Icon } from "../../parts/icon.tsx";
import { addressOf } from "../../state/address.ts";

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
