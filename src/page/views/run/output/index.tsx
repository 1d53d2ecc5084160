// What went in and what came out.
import { JsonTree } from "../../../parts/json-tree.tsx";
import { copy } from "../../../parts/toast.tsx";
import type { RunViewProps } from "../run-view-props.ts";

export function RunOutput({ moment }: RunViewProps) {
  const { state } = moment;
  return (
    <div class="scroll padded stack">
      <section class="part">
        <div class="row">
          <h2>Output</h2>
          {state.output !== null && (
            <button
              type="button"
              class="button low"
              onClick={() => void copy(JSON.stringify(state.output, null, 2), "the output")}
            >
              Copy as JSON
            </button>
          )}
        </div>
        {state.output === null ? (
          <p class="soft">{state.status === "running" ? "It is still running." : "It ended without one."}</p>
        ) : (
          <div class="tree mono">
            <JsonTree value={state.output} />
          </div>
        )}
      </section>
      <section class="part">
        <h2>Inputs</h2>
        <div class="tree mono">
          <JsonTree value={state.inputs} />
        </div>
      </section>
    </div>
  );
}
