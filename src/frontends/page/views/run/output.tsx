// What went in and what came out.
import { currentWarnings } from "../../../../base/events/state/warnings.ts";
import { Button } from "../../parts/button.tsx";
import { ValueTree } from "../../parts/json-tree.tsx";
import { Part } from "../../parts/pane.tsx";
import { copy } from "../../parts/toast.tsx";
import type { RunViewProps } from "../../state/run-model.ts";
import { stepText } from "../../state/step-address.ts";

export function RunOutput({ moment }: RunViewProps) {
  const { state } = moment;
  const notes = currentWarnings(state).filter(({ kind }) => kind !== "lost_member" && kind !== "recovered");
  return (
    <div class="scroll padded stack">
      <section class="part column">
        <div class="row">
          <h2>Output</h2>
          {state.output !== null && (
            <Button
              is="low"
              label="Copy as JSON"
              onClick={() => void copy(JSON.stringify(state.output, null, 2), "the output")}
            />
          )}
        </div>
        {state.output === null ? (
          <p class="soft">
            {state.status === "running" && !state.isCutOff ? "It is still running." : "It ended without one."}
          </p>
        ) : (
          <ValueTree value={state.output} />
        )}
      </section>
      {notes.length > 0 && (
        <Part title="What it warned of">
          <ul>
            {notes.map(({ node, path, message }) => (
              <li key={`${path.join("/")} ${node} ${message}`}>
                {node !== null && <strong>{stepText({ path, node })}: </strong>}
                {message}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title="Inputs">
        <ValueTree value={state.inputs} />
      </Part>
    </div>
  );
}
