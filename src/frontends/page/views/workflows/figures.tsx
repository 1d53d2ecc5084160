// What runs of a file came to: how they ended, how long they took and what they cost, and the same of each step.

import type { StatsJson, StepStatsJson, WorkflowStatsJson } from "../../../server/contract/stats.ts";
import { typed } from "../../api/client.ts";
import { StepState } from "../../parts/button.tsx";
import { CommandText, Pane } from "../../parts/pane.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { addressOf } from "../../state/address.ts";
import { useAnswer } from "../../state/loaded.ts";
import { costText, countText, durationText, percentText, plural } from "../../text.ts";

export function Figures({ file }: { readonly file: string }) {
  const loaded = useAnswer<StatsJson>(addressOf("/api/stats", { file }));
  return (
    <div class="scroll">
      <div class="padded stack">
        <Pane loaded={loaded} what="The figures">
          {({ workflows, more, runs, without_steps }) => (
            <>
              <p class="soft">Runs of the last 30 days that have ended, without rehearsals and rows of evals.</p>
              {workflows.length === 0 && <p>None has ended.</p>}
              {workflows.map((one) => (
                <OfWorkflow of={one} key={one.workflow} />
              ))}
              {more && <p class="soft">The newest {plural(runs, "run")} are counted.</p>}
              {without_steps > 0 && (
                <p class="soft">
                  {plural(without_steps, "run")} of release 0.3 counted without steps;{" "}
                  <code>{typed("segno doctor --reindex")}</code> reads them.
                </p>
              )}
            </>
          )}
        </Pane>
        <p class="soft">The same in a terminal, and of other times:</p>
        <CommandText>{`segno stats ${file}\nsegno stats ${file} --since 90d`}</CommandText>
      </div>
    </div>
  );
}

const ENDS = [
  ["completed", "completed", "completed"],
  ["degraded", "recovered", "lost items"],
  ["failed", "failed", "failed"],
  ["cancelled", "pending", "cancelled"],
] as const;

function OfWorkflow({ of }: { readonly of: WorkflowStatsJson }) {
  const { workflow, runs, resumed, seconds, cost_usd, kinds, steps } = of;
  return (
    <section class="stack" aria-label={`Figures of ${workflow}`}>
      <div class="row wrap" role="status">
        <strong>
          {workflow}, {plural(runs, "run")}
        </strong>
        {ENDS.map(
          ([end, state, word]) =>
            of[end] > 0 && (
              <StepState
                state={state}
                word={`${countText(of[end])} ${word} (${percentText(of[end] / runs)})`}
                pill
                key={end}
              />
            ),
        )}
        {resumed > 0 && <span class="soft">{countText(resumed)} resumed</span>}
      </div>
      <p>
        Half of the runs took at most {time(seconds.p50)}, nine of ten at most {time(seconds.p90)}
        {cost_usd &&
          cost_usd.p90 > 0 &&
          `; half cost at most ${costText(cost_usd.p50)}, nine of ten ${costText(cost_usd.p90)}`}
        .
      </p>
      {Object.keys(kinds).length > 0 && <p>Errors, in how many runs: {kindsText(kinds)}</p>}
      {steps.length > 0 && <Table columns={COLUMNS} rows={steps} nameOf={({ step }) => step} />}
    </section>
  );
}

const time = (seconds: number): string => durationText(seconds * 1000);

const kindsText = (kinds: Readonly<Record<string, number>>): string =>
  Object.entries(kinds)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");

const COLUMNS: readonly Column<StepStatsJson>[] = [
  { head: "Step", cell: ({ step }) => <strong>{step}</strong> },
  { head: "Runs", is: "number", cell: ({ runs }) => countText(runs) },
  { head: "Failed in", is: "number", cell: ({ failed }) => countText(failed) },
  { head: "Half within", is: "number", cell: ({ seconds }) => time(seconds.p50) },
  { head: "Nine of ten within", is: "number", cell: ({ seconds }) => time(seconds.p90) },
  { head: "Cost, half within", is: "number", isRoomy: true, cell: ({ cost_usd }) => costText(cost_usd?.p50 ?? null) },
  { head: "Errors", cell: ({ kinds }) => <code class="kind">{kindsText(kinds)}</code> },
];
