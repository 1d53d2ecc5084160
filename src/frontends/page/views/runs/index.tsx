// All runs of the store, live: the days, the filters, the table.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ActedJson, RunRowJson } from "../../../server/contract/runs.ts";
import type { ExampleJson, WorkflowsJson } from "../../../server/contract/workflows.ts";
import { postJson } from "../../api/client.ts";
import { serverNow } from "../../api/clock.ts";
import { Button, Cut, canBeCancelled, Icon, IconButton, RunStatusMark, shownStatus } from "../../parts/button.tsx";
import { CancelDialog } from "../../parts/dialog.tsx";
import { CommandText, PaneTrouble } from "../../parts/pane.tsx";
import { Rows } from "../../parts/rows.tsx";
import { runFound, useFindable } from "../../shell/palette.tsx";
import { again, askToResume, isReadOnly, runPath, sayProblem, workflowPath } from "../../state/actions.ts";
import { addressOf, change, go, query } from "../../state/address.ts";
import { useKeys } from "../../state/keys.ts";
import { useAnswer, useSending } from "../../state/loaded.ts";
import { filtersIn, isFiltered, RunList } from "../../state/runs.ts";
import { costText, countText, durationText, moment, shortId } from "../../text.ts";
import { Days, FilterBar } from "./filters.tsx";

const ROW_HEIGHT = 38;
const HEADS = ["Status", "Workflow", "Failing step, kind", "Started", "Took", "Cost"];
const FIRST_NUMBER = 3;

const answerPath = (id: string): string => addressOf("/gates", { run: id });

export function RunsView() {
  const filters = filtersIn(query.value);
  const list = useMemo(() => new RunList(filters), [JSON.stringify(filters)]);
  useEffect(() => () => list.stop(), [list]);
  const line = useSignal(-1);
  const cancelling = useSignal<RunRowJson | null>(null);
  const rows = list.rows.value;
  const chosen = rows?.[line.value];
  const goOn = (): void => {
    if (!chosen) return;
    const { run_id: run, workflow } = chosen;
    if (chosen.waits) go(answerPath(run));
    else if (chosen.resumable) askToResume({ run, workflow });
    else if (chosen.status === "degraded") askToResume({ run, workflow, more: { failed_items: true } });
  };
  const move = (by: number): void => {
    line.value = Math.max(0, Math.min((rows?.length ?? 1) - 1, line.value + by));
  };
  useKeys("runs", {
    next: () => move(1),
    before: () => move(-1),
    open: () => chosen && go(runPath(chosen.run_id)),
    goOn,
    cancel: () => {
      if (chosen && canBeCancelled(chosen.status)) cancelling.value = chosen;
    },
    again: () => chosen && again(chosen.file, chosen.run_id),
    start: () => go("/workflows"),
  });
  useFindable(
    () => [
      ...(list.rows.peek() ?? []).slice(0, 200).map(runFound),
      { text: "Start a run", what: "action · s", run: () => go("/workflows") },
    ],
    [list],
  );
  const problem = list.problem.value;
  const cellsAway = list.cellsAway.value;
  if (rows?.length === 0 && !isFiltered(filters) && cellsAway.length === 0) return <FirstRun />;
  return (
    <main class="view fixed column runs-view">
      <div class="runs-top column">
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
      {problem && <PaneTrouble message={`The runs: ${problem}`} retry={() => void list.load()} />}
      {cellsAway.length > 0 && (
        <p class="quiet" role="status">
          Not all runs are here: {cellsAway.length === 1 ? "the cell" : "the cells"} {cellsAway.join(", ")}{" "}
          {cellsAway.length === 1 ? "does" : "do"} not answer.
        </p>
      )}
      {!rows && !problem && <p class="quiet">Loading runs …</p>}
      {rows?.length === 0 && <p class="quiet">No run is like that.</p>}
      {rows && rows.length > 0 && (
        <div class="run-table column" role="table" aria-label="Runs" aria-rowcount={list.total.value}>
          <div class="run-row head" role="row">
            {HEADS.map((head, index) => (
              <span role="columnheader" class={index < FIRST_NUMBER ? undefined : "number"} key={head}>
                {head}
              </span>
            ))}
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
              <Row
                row={row}
                isChosen={index === line.value}
                askToCancel={() => (cancelling.value = row)}
                key={row.run_id}
              />
            )}
          </Rows>
        </div>
      )}
      {cancelling.value && (
        <CancelDialog
          run={cancelling.value.run_id}
          workflow={cancelling.value.workflow}
          close={() => (cancelling.value = null)}
        />
      )}
    </main>
  );
}

interface RowProps {
  readonly row: RunRowJson;
  readonly isChosen: boolean;
  readonly askToCancel: () => void;
}

function Row({ row, isChosen, askToCancel }: RowProps) {
  const { run_id, status, name, workflow, file, failing_step, kind, started_at, cost_usd } = row;
  return (
    <div class={`run-row${isChosen ? " chosen" : ""}`} role="row" aria-selected={isChosen}>
      <div role="cell" class="c-status">
        <RunStatusMark status={shownStatus(row)} />
      </div>
      <div role="cell" class="c-name cut">
        <a href={runPath(run_id)} class="cut" title={name ?? workflow}>
          {name ?? workflow}
        </a>
        <span class="soft small cut" title={`${file}, run ${run_id}`}>
          {name !== null && `${workflow}, `}
          {row.cell && `${row.cell}: `}
          {file} <span class="run-end">{shortId(run_id)}</span>
        </span>
      </div>
      <div role="cell" class="c-error cut">
        {failing_step && <Cut text={failing_step} />}
        {kind && <Cut is="kind" text={kind} />}
        {row.reason && <Cut is="soft" text={row.reason} />}
        {!failing_step && !kind && row.waits && <span class="soft cut">waits for a person</span>}
        {row.waits_because && <Cut is="soft" text={row.waits_because} />}
      </div>
      <div role="cell" class="c-started number soft" title={started_at}>
        {moment(started_at, serverNow.peek())}
      </div>
      <div role="cell" class="c-took number">
        {status === "running" ? <Running since={started_at} /> : durationText(row.took_ms)}
      </div>
      <div role="cell" class="c-cost number soft">
        {costText(cost_usd)}
      </div>
      <div role="cell" class="c-acts">
        {!isReadOnly() && (
          <>
            {row.waits && (
              <a
                class="button plain icon-only"
                title="Answer (r)"
                aria-label={`Answer ${workflow}`}
                href={answerPath(run_id)}
              >
                <Icon name="person" />
              </a>
            )}
            {row.resumable && !row.waits && (
              <IconButton
                icon="play"
                title="Resume (r)"
                label={`Resume ${workflow}`}
                onClick={() => askToResume({ run: run_id, workflow })}
              />
            )}
            {canBeCancelled(status) && (
              <IconButton icon="stop" title="Cancel (c)" label={`Cancel ${workflow}`} onClick={askToCancel} />
            )}
            <IconButton
              icon="again"
              title="Again with these inputs (a)"
              label={`${workflow} again with these inputs`}
              onClick={() => again(file, run_id)}
            />
          </>
        )}
      </div>
    </div>
  );
}

const Running = ({ since }: { readonly since: string }) => (
  <>{durationText(Math.max(0, serverNow.value - Date.parse(since)))}</>
);

/** More of them are on their own page. */
const MOST = 8;

/** Nothing has run yet: how a newcomer comes to a first run, with an error in it and what becomes of it. */
function FirstRun() {
  const { isSending, send } = useSending();
  const here = (useAnswer<WorkflowsJson>("/api/workflows").value.value?.workflows ?? []).slice(0, MOST);
  const start = async (): Promise<void> => {
    try {
      const { file } = await postJson<ExampleJson>("/api/examples", { name: "release" });
      const { run_id } = await postJson<ActedJson>("/api/runs", { file, inputs: {} });
      go(`${runPath(run_id)}?follow=1`);
    } catch (error) {
      sayProblem(error);
    }
  };
  return (
    <main class="view">
      <div class="empty column">
        <h1>No run yet</h1>
        {!isReadOnly() && (
          <>
            <p>
              See one: the example releases a small project. Its registry is busy at first, so the upload is tried
              again; then another user has pushed meanwhile, and that error has a route of its own. It takes a quarter
              of a minute and changes nothing but a folder <code>segno-example</code> here.
            </p>
            <Button
              is="main"
              icon="play"
              label={isSending.value ? "Starting …" : "Run the release example"}
              disabled={isSending.value}
              onClick={() => void send(start)}
            />
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
        <CommandText>segno run FILE</CommandText>
      </div>
    </main>
  );
}
