// What became of a question that was just answered here, and the way back to its run.
import type { GateJson } from "../../../server/contract/gates.ts";
import { Icon } from "../../parts/icon.tsx";
import { gateRun } from "./gate-run.ts";

export interface AnsweredGate {
  readonly gate: GateJson;
  /** What was answered, or who was faster. */
  readonly said: string;
  readonly isLate: boolean;
}

export function AnsweredNote({ answered: { gate, said, isLate } }: { readonly answered: AnsweredGate }) {
  return (
    <div class="note answered" role="status">
      <span class={`status is-${isLate ? "recovered" : "completed"}`}>
        <Icon name={isLate ? "degraded" : "completed"} />
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
