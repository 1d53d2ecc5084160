// What a workflow can raise, and who handles it: `segno errors` as a table.
import { useSignal } from "@preact/signals";
import { whoHandles } from "../../../errors/who-handles.ts";
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { Icon } from "../../parts/icon.tsx";

type Raising = WorkflowJson["raises"][number]["raises"][number];

/** What any step can raise: of interest to whoever asks for it. */
const isEngines = ({ kind }: Raising): boolean => kind === "*" || kind.startsWith("internal.");

export function RaisesTable({ workflow }: { readonly workflow: WorkflowJson }) {
  const isAll = useSignal(false);
  const shown = (raising: Raising): boolean => isAll.value || !isEngines(raising);
  const all = workflow.raises.filter(({ raises }) => raises.length > 0);
  const steps = all
    .map((one) => ({ ...one, raises: one.raises.filter(shown) }))
    .filter(({ raises }) => raises.length > 0);
  if (all.length === 0) return null;
  return (
    <section class="part">
      <div class="row">
        <h2>What it can raise</h2>
        <button type="button" class="chip" aria-pressed={isAll.value} onClick={() => (isAll.value = !isAll.value)}>
          also what any step can
        </button>
      </div>
      {steps.length === 0 && <p class="soft">Nothing of its own.</p>}
      {steps.length > 0 && (
        <table class="lined">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Kind</th>
              <th scope="col">Handled by</th>
            </tr>
          </thead>
          <tbody>
            {steps.flatMap(({ node_id, raises }) =>
              raises.map((raising, index) => (
                <tr key={`${node_id} ${raising.kind} ${raising.source}`}>
                  <td>{index === 0 ? node_id : ""}</td>
                  <td>
                    <code class="kind">{raising.kind}</code>
                  </td>
                  <td>
                    <HandledBy raising={raising} />
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      )}
    </section>
  );
}

function HandledBy({ raising }: { readonly raising: Raising }) {
  const handled = raising.handled_by ?? raising.propagated_by;
  if (!handled)
    return (
      <span class="status is-failed">
        <Icon name="failed" /> {whoHandles(raising)}
      </span>
    );
  return (
    <span>
      {whoHandles(raising)}
      <span class="soft small">
        {" "}
        {handled.table === "step" ? "" : `${handled.table}, `}line {handled.line}
      </span>
    </span>
  );
}
