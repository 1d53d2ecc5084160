// All runs of the store, live: the days, the filters, the table.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ActedJson } from "../../../server/contract/runs.ts";
import type { ExampleJson, WorkflowsJson } from "../../../server/contract/workflows.ts";
import { get, postJson } from "../../api/client.ts";
import { canBeCancelled, Icon } from "../../parts/button.tsx";
import { CancelDialog } from "../../parts/dialog.tsx";
import { PaneTrouble } from "../../parts/pane.tsx";
import { Rows } from "../../parts/rows.tsx";
import { countText } from "../../parts/text.ts";
import { useFindable } from "../../shell/palette.tsx";
import { again, askToResume, isReadOnly, sayProblem, workflowPath } from "../../state/actions.ts";
import { change, go, query } from "../../state/address.ts";
import { useKeys } from "../../state/keys.ts";
import { useLoaded } from "../../state/loaded.ts";
import { filtersIn, isFiltered, RunList } from "../../state/runs.ts";
import { Days, FilterBar } from "./filters.tsx";
import { answerPath, Row, runPath } from "./row.tsx";

const ROW_HEIGHT = 38;

export function RunsView() {
  const filters = filtersIn(query.value);
  const list = useMemo(() => new RunList(filters), [JSON.stringify(filters)]);
  useEffect(() => () => list.stop(), [list]);
  const line = useSignal(-1);
  const cancelling = useSignal<{ readonly run_id: string; readonly workflow: string } | null>(null);
  const rows = list.rows.value;
  const chosen = rows?.[line.value];
  const goOn = (): void => {
    if (chosen?.waits) go(answerPath(chosen.run_id));
    else if (chosen?.resumable) askToResume({ run: chosen.run_id, workflow: chosen.workflow });
    else if (chosen?.status === "degraded")
      askToResume({ run: chosen.run_id, workflow: chosen.workflow, more: { failed_items: true } });
  };
  const askToCancel = (row: { readonly run_id: string; readonly workflow: string }): void => {
    cancelling.value = row;
  };
  const move = (by: number): void => {
    line.value = Math.max(0, Math.min((rows?.length ?? 1) - 1, line.value + by));
  };
  useKeys("runs", {
    next: () => move(1),
    before: () => move(-1),
    open: () => chosen && go(runPath(chosen.run_id)),
    goOn: () => goOn(),
    cancel: () => chosen && canBeCancelled(chosen.status) && askToCancel(chosen),
    again: () => chosen && again(chosen.file, chosen.run_id),
    start: () => go("/workflows"),
  });
  useFindable(
    () => [
      ...(list.rows.peek() ?? []).slice(0, 200).map(({ run_id, workflow, status, kind }) => ({
        text: `${workflow} ${kind ?? status}`,
        what: `run · ${run_id}`,
        run: () => go(runPath(run_id)),
      })),
      { text: "Start a run", what: "action · s", run: () => go("/workflows") },
    ],
    [list],
  );
  const isEmpty = rows?.length === 0 && !isFiltered(filters) && list.cellsAway.value.length === 0;
  if (isEmpty) return <FirstRun />;
  return (
    <main class="view fixed runs-view">
      <div class="runs-top">
        <div class="row wrap">
          <h1>Runs</h1>
          <span class="soft">{rows ? countText(list.total.value) : ""}</span>
          <span class="grow" />
          <a class="button main" href="/workflows">
            Start a run
          </a>
        </div>
        <Days days={list.days.value} chosen={filters.day} choose={(day) => change({ day })} />
        <FilterBar filters={filters} list={list} />
      </div>
      {list.problem.value && <PaneTrouble message={`The runs: ${list.problem.value}`} retry={() => void list.load()} />}
      {list.cellsAway.value.length > 0 && <CellsAway cells={list.cellsAway.value} />}
      {!rows && !list.problem.value && <p class="quiet">Loading runs …</p>}
      {rows?.length === 0 && <p class="quiet">No run is like that.</p>}
      {rows && rows.length > 0 && (
        <div class="run-table" role="table" aria-label="Runs" aria-rowcount={list.total.value}>
          <div class="run-row head" role="row">
            <span role="columnheader">Status</span>
            <span role="columnheader">Workflow</span>
            <span role="columnheader">Failing step, kind</span>
            <span role="columnheader" class="number">
              Started
            </span>
            <span role="columnheader" class="number">
              Took
            </span>
            <span role="columnheader" class="number">
              Cost
            </span>
            <span role="columnheader">
              <span class="only-heard">Actions</span>
            </span>
          </div>
          <Rows
            items={rows}
            height={ROW_HEIGHT}
            chosen={line.value}
            onScroll={({ scrollOffset, scrollSize, viewportSize }) => {
              if (scrollOffset + viewportSize * 2 > scrollSize) void list.more();
            }}
          >
            {(row, index) => (
              <Row row={row} isChosen={index === line.value} askToCancel={() => askToCancel(row)} key={row.run_id} />
            )}
          </Rows>
        </div>
      )}
      {cancelling.value && (
        <CancelDialog
          run={cancelling.value.run_id}
          workflow={cancelling.value.workflow}
          close={() => {
            cancelling.value = null;
          }}
        />
      )}
    </main>
  );
}

const CellsAway = ({ cells }: { readonly cells: readonly string[] }) => (
  <p class="quiet" role="status">
    Not all runs are here: {cells.length === 1 ? "the cell" : "the cells"} {cells.join(", ")}{" "}
    {cells.length === 1 ? "does" : "do"} not answer.
  </p>
);

/** More of them are on their own page. */
const MOST = 8;

/** Nothing has run yet: how a newcomer comes to a first run, with an error in it and what becomes of it. */
function FirstRun() {
  const isStarting = useSignal(false);
  const loaded = useLoaded((signal) => get<WorkflowsJson>("/api/workflows", {}, signal), []);
  const here = (loaded.value.value?.workflows ?? []).slice(0, MOST);
  const start = async (): Promise<void> => {
    if (isStarting.value) return;
    isStarting.value = true;
    try {
      const { file } = await postJson<ExampleJson>("/api/examples", { name: "release" });
      const { run_id } = await postJson<ActedJson>("/api/runs", { file, inputs: {} });
      go(`/runs/${encodeURIComponent(run_id)}?follow=1`);
    } catch (error) {
      sayProblem(error);
    } finally {
      isStarting.value = false;
    }
  };
  return (
    <main class="view">
      <div class="empty">
        <h1>No run yet</h1>
        {!isReadOnly() && (
          <>
            <p>
              See one: the example releases a small project. Its registry is busy at first, so the upload is tried
              again; then another user has pushed meanwhile, and that error has a route of its own. It takes a quarter
              of a minute and changes nothing but a folder <code>segno-example</code> here.
            </p>
            <button type="button" class="button main" disabled={isStarting.value} onClick={() => void start()}>
              <Icon name="play" /> {isStarting.value ? "Starting …" : "Run the release example"}
            </button>
          </>
        )}
        {here.length > 0 && !isReadOnly() && (
          <ul>
            {here.map(({ file, workflow }) => (
              <li class="row" key={file}>
                <a class="button low" href={workflowPath(file)}>
                  Start {workflow ?? file}
                </a>
                <span class="soft">{file}</span>
              </li>
            ))}
          </ul>
        )}
        <p>
          Or <a href="/workflows">start a workflow of yours</a>, also in a terminal. Runs appear here by themselves,
          whichever way they are started.
        </p>
        <pre class="code">segno run FILE</pre>
      </div>
    </main>
  );
}
