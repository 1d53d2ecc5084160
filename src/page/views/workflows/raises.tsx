// What a workflow can raise, and who handles it: `segno errors` as a table.
import { useSignal } from "@preact/signals";
import { whoHandles } from "../../../errors/who-handles.ts";
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type Raising = WorkflowJson["raises"][number]["raises"][number];

/** What any step can raise: shown only on request. */
const isEngines = ({ kind }: Raising): boolean => kind === "*" || kind.startsWith("internal.");

interface RaisesRow extends Raising {
  readonly node: string;
  /** Of those of its step: the others do not repeat its name. */
  readonly isFirst: boolean;
}

const COLUMNS: readonly Column<RaisesRow>[] = [
  { head: "Step", cell: ({ node, isFirst }) => (isFirst ? node : "") },
  { head: "Kind", cell: ({ kind }) => <code class="kind">{kind}</code> },
  { head: "Handled by", cell: (raising) => <HandledBy raising={raising} /> },
];

export function RaisesTable({ workflow }: { readonly workflow: WorkflowJson }) {
  const isAll = useSignal(false);
  const shown = (raising: Raising): boolean => isAll.value || !isEngines(raising);
  const all = workflow.raises.filter(({ raises }) => raises.length > 0);
  const rows = all.flatMap(({ node_id: node, raises }) =>
    raises.filter(shown).map((raising, index) => ({ ...raising, node, isFirst: index === 0 })),
  );
  if (all.length === 0) return null;
  return (
    <section class="part">
      <div class="row">
        <h2>What it can raise</h2>
        <button type="button" class="chip" aria-pressed={isAll.value} onClick={() => (isAll.value = !isAll.value)}>
          also what any step can
        </button>
      </div>
      {rows.length === 0 && <p class="soft">Nothing of its own.</p>}
      {rows.length > 0 && (
        <Table columns={COLUMNS} rows={rows} nameOf={({ node, kind, source }) => `${node} ${kind} ${source}`} />
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
