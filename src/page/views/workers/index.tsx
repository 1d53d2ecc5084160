// The workers of a fleet: who is alive and since when, what each drives, who leaves, and what waits for a worker.
import type { WorkerJson, WorkersJson } from "../../../server/contract/operations.ts";
import { get } from "../../api/client.ts";
import { Empty, Pane } from "../../parts/pane.tsx";
import { StepState } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { agoText, durationText, plural, shortId } from "../../parts/text.ts";
import { addressOf } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded, useRepeated } from "../../state/loaded.ts";
import { queueText } from "./queue-text.ts";

const AGAIN_MS = 3000;

const COLUMNS: readonly Column<WorkerJson>[] = [
  {
    head: "State",
    cell: ({ draining, runs, other_runs }) =>
      draining ? (
        <StepState state="cancelled" word="leaving" />
      ) : runs.length + other_runs > 0 ? (
        <StepState state="running" word="drives" />
      ) : (
        <StepState state="completed" word="idle" />
      ),
  },
  {
    head: "Worker",
    cell: ({ id, host, pid, cell: served }) => (
      <>
        <strong>{id}</strong>
        <div class="soft small">
          process {pid} on {host}
          {served && `, cell ${served}`}
        </div>
      </>
    ),
  },
  { head: "Runs", cell: (worker) => <RunsOf worker={worker} /> },
  {
    head: "There since",
    is: "fact",
    cell: ({ since }) => <span title={since ?? ""}>{since === null ? "" : agoText(since, serverNow.value)}</span>,
  },
  { head: "Last sign of life", is: "fact", cell: ({ silent_ms }) => `${durationText(silent_ms)} ago` },
  { head: "Version", is: "fact", isRoomy: true, cell: ({ version }) => version },
];

export function WorkersView() {
  const loaded = useLoaded((signal) => get<WorkersJson>("/api/workers", {}, signal), []);
  useRepeated(loaded.reload, AGAIN_MS);
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Workers</h1>
        <Pane loaded={loaded} what="The workers">
          {({ fleet, workers, queue }) =>
            fleet ? (
              <>
                <p class="soft">
                  <a href={addressOf("/", { status: "queued" })}>{queue && queueText(queue)}</a>
                </p>
                {workers.length === 0 ? (
                  <Empty title="No worker is there" command="segno worker">
                    Runs wait until one comes. On any machine that reaches the database:
                  </Empty>
                ) : (
                  <Table columns={COLUMNS} rows={workers} nameOf={({ id }) => id} />
                )}
              </>
            ) : (
              <Empty title="There are no workers here" command="segno serve --on postgres://…">
                The runs of this server are kept in a folder, and driven by the process that starts them. Workers belong
                to a fleet, which keeps its runs in Postgres:
              </Empty>
            )
          }
        </Pane>
      </div>
    </main>
  );
}

function RunsOf({ worker: { runs, other_runs, concurrency } }: { readonly worker: WorkerJson }) {
  const all = runs.length + other_runs;
  return (
    <>
      <div>
        {all} of {concurrency ?? "?"}
      </div>
      {runs.map(({ run_id, workflow }) => (
        <div key={run_id}>
          <a href={`/runs/${run_id}`}>
            {workflow} <code>{shortId(run_id)}</code>
          </a>
        </div>
      ))}
      {other_runs > 0 && <div class="soft">{plural(other_runs, "run")} of workflows elsewhere</div>}
    </>
  );
}
