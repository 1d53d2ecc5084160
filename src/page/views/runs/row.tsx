// One run in the list.
import type { RunRowJson } from "../../../server/contract/runs.ts";
import { Button, canBeCancelled, Icon, RunStatusMark, statusWord } from "../../parts/button.tsx";
import { costText, durationText, moment, shortId } from "../../parts/text.ts";
import { again, askToResume, isReadOnly } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";

export const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

export const answerPath = (id: string): string => addressOf("/gates", { run: id });

interface RowProps {
  readonly row: RunRowJson;
  readonly isChosen: boolean;
  readonly askToCancel: () => void;
}

export function Row({ row, isChosen, askToCancel }: RowProps) {
  const { run_id, status, workflow, file, failing_step, kind, started_at, cost_usd } = row;
  return (
    <div class={`run-row${isChosen ? " chosen" : ""}`} role="row" aria-selected={isChosen}>
      <div role="cell" class="c-status">
        <RunStatusMark status={statusWord(row)} />
      </div>
      <div role="cell" class="c-name cut">
        <a href={runPath(run_id)} class="cut" title={workflow}>
          {workflow}
        </a>
        <span class="soft small cut" title={`${file}, run ${run_id}`}>
          {row.cell && `${row.cell}: `}
          {file} <span class="run-end">{shortId(run_id)}</span>
        </span>
      </div>
      <div role="cell" class="c-error cut">
        {failing_step && (
          <span class="cut" title={failing_step}>
            {failing_step}
          </span>
        )}
        {kind && (
          <span class="kind cut" title={kind}>
            {kind}
          </span>
        )}
        {row.reason && (
          <span class="soft cut" title={row.reason}>
            {row.reason}
          </span>
        )}
        {!failing_step && !kind && row.waits && <span class="soft cut">waits for a person</span>}
        {row.waits_because && (
          <span class="soft cut" title={row.waits_because}>
            {row.waits_because}
          </span>
        )}
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
              <Button
                is="plain icon-only"
                icon="play"
                title="Resume (r)"
                aria-label={`Resume ${workflow}`}
                onClick={() => askToResume({ run: run_id, workflow })}
              />
            )}
            {canBeCancelled(status) && (
              <Button
                is="plain icon-only"
                icon="stop"
                title="Cancel (c)"
                aria-label={`Cancel ${workflow}`}
                onClick={askToCancel}
              />
            )}
            <Button
              is="plain icon-only"
              icon="again"
              title="Again with these inputs (a)"
              aria-label={`${workflow} again with these inputs`}
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
