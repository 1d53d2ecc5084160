// Evals, newest first: what was measured, and how many rows passed in each variant.
import type { EvalSummaryJson, EvalsJson } from "../../../server/contract/history.ts";
import { get } from "../../api/client.ts";
import { Empty, Pane } from "../../parts/pane.tsx";
import { StepState } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { moment } from "../../parts/text.ts";
import { workflowPath } from "../../state/actions.ts";
import { go } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { passRateText } from "./rate.tsx";

const evalPath = ({ eval_id }: EvalSummaryJson): string => `/evals/${encodeURIComponent(eval_id)}`;

const COLUMNS: readonly Column<EvalSummaryJson>[] = [
  { head: "State", cell: (one) => <EvalState of={one} /> },
  {
    head: "Eval",
    cell: (one) => (
      <>
        <a class="strong" href={evalPath(one)}>
          {one.name}
        </a>
        <div class="soft">{one.file}</div>
      </>
    ),
  },
  { head: "Workflow", is: "fact", cell: ({ workflow }) => <a href={workflowPath(workflow)}>{workflow}</a> },
  {
    head: "Passed, with the 95 % interval",
    cell: ({ summary }) =>
      summary.map((variant) => (
        <div key={variant.variant}>
          <code>{variant.variant}</code> {passRateText(variant)}
        </div>
      )),
  },
  { head: "Started", is: "number", cell: ({ started_at }) => moment(started_at, serverNow.peek()) },
];

/** Not finished also while it goes on: whose process it is, a page cannot know. */
export function EvalState({ of: { ended_at, problems, done, planned } }: { readonly of: EvalSummaryJson }) {
  if (ended_at === null) return <StepState state="pending" word={`${done} of ${planned} runs graded`} />;
  return problems.length > 0 ? (
    <StepState state="failed" word="does not pass" />
  ) : (
    <StepState state="completed" word="finished" />
  );
}

export function EvalsView() {
  const loaded = useLoaded((signal) => get<EvalsJson>("/api/evals", {}, signal), []);
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Evals</h1>
        <Pane loaded={loaded} what="The evals">
          {({ evals }) =>
            evals.length === 0 ? (
              <Empty title="No eval yet" command="segno eval FILE.eval.yaml">
                An eval runs a workflow over a dataset and grades each run. In a terminal:
              </Empty>
            ) : (
              <Table
                columns={COLUMNS}
                rows={evals}
                nameOf={({ eval_id }) => eval_id}
                open={(one) => go(evalPath(one))}
              />
            )
          }
        </Pane>
      </div>
    </main>
  );
}
