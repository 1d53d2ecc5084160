// Evals, newest first: what was measured, and how many rows passed in each variant; and one of them, with a link to the
// run of each row.
import { useSignal } from "@preact/signals";
import { apiPath } from "../../../frontends/page/api/client.ts";
import { serverNow } from "../../../frontends/page/api/clock.ts";
import { StepState } from "../../../frontends/page/parts/button.tsx";
import { Empty, Pane, View } from "../../../frontends/page/parts/pane.tsx";
import { type Column, Table } from "../../../frontends/page/parts/table.tsx";
import { runPath, workflowPath } from "../../../frontends/page/state/actions.ts";
import { go } from "../../../frontends/page/state/address.ts";
import { useAnswer } from "../../../frontends/page/state/loaded.ts";
import { costText, countText, durationText, moment, percentText } from "../../../frontends/page/text.ts";
import type {
  EvalJson,
  EvalRowJson,
  EvalSummaryJson,
  EvalsJson,
  EvalVariantJson,
} from "../../../frontends/server/contract/history.ts";
import { measureWords } from "../measures.ts";
import { passRateText, RateBar } from "./rate.tsx";

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
function EvalState({ of: { ended_at, problems, done, planned } }: { readonly of: EvalSummaryJson }) {
  if (ended_at === null) return <StepState state="pending" word={`${done} of ${planned} runs graded`} />;
  const isGood = problems.length === 0;
  return <StepState state={isGood ? "completed" : "failed"} word={isGood ? "finished" : "does not pass"} />;
}

export function EvalsView() {
  const loaded = useAnswer<EvalsJson>("/api/evals");
  return (
    <View title="Evals">
      <Pane loaded={loaded} what="The evals">
        {({ evals }) =>
          evals.length === 0 ? (
            <Empty title="No eval yet" command="segno eval FILE.eval.yaml">
              An eval runs a workflow over a dataset and grades each run. In a terminal:
            </Empty>
          ) : (
            <Table columns={COLUMNS} rows={evals} nameOf={({ eval_id }) => eval_id} open={(one) => go(evalPath(one))} />
          )
        }
      </Pane>
    </View>
  );
}

export function OneEvalView({ id }: { readonly id: string }) {
  const loaded = useAnswer<EvalJson>(apiPath("evals", id));
  return (
    <View>
      <Pane loaded={loaded} what="The eval">
        {(one) => (
          <>
            <div class="row wrap">
              <h1>{one.name}</h1>
              <EvalState of={one} />
              <span class="soft">{one.file}</span>
              <a href={workflowPath(one.workflow)}>{one.workflow}</a>
              <span class="soft">{moment(one.started_at, serverNow.peek())}</span>
              {one.commit !== null && <code class="soft">{one.commit.slice(0, 10)}</code>}
            </div>
            {one.problems.map((problem) => (
              <p class="is-failed status" key={problem}>
                {problem}
              </p>
            ))}
            <h2>Variants</h2>
            <Table columns={variantColumns(one.summary)} rows={one.summary} nameOf={({ variant }) => variant} />
            <p class="small soft">{measureWords(one.summary)}</p>
            <Rows one={one} />
          </>
        )}
      </Pane>
    </View>
  );
}

const shareText = (share: number | null | undefined): string => (share == null ? "" : percentText(share));

const REPEAT_COLUMNS: readonly Column<EvalVariantJson>[] = [
  { head: "pass@k", is: "number", cell: ({ pass_at_k }) => shareText(pass_at_k) },
  { head: "pass^k", is: "number", cell: ({ pass_all_k }) => shareText(pass_all_k) },
];

const variantColumns = (summary: readonly EvalVariantJson[]): readonly Column<EvalVariantJson>[] => [
  { head: "Variant", cell: ({ variant }) => <strong>{variant}</strong> },
  {
    head: "Passed, with the 95 % interval",
    cell: (variant) => (
      <>
        {passRateText(variant)}
        <RateBar rate={variant} />
      </>
    ),
  },
  { head: "Runs", is: "fact", cell: ({ passed, measured }) => `${passed} of ${measured} passed` },
  ...(summary.some(({ k }) => k !== undefined) ? REPEAT_COLUMNS : []),
  { head: "Not measured", is: "number", cell: ({ not_measured }) => not_measured },
  { head: "Cost", is: "number", cell: ({ cost_usd }) => costText(cost_usd) },
  { head: "Tokens", is: "number", isRoomy: true, cell: ({ tokens }) => countText(tokens) },
  { head: "Median time", is: "number", cell: ({ duration_ms }) => durationText(duration_ms?.median) },
  { head: "p95", is: "number", cell: ({ duration_ms }) => durationText(duration_ms?.p95) },
  {
    head: "Errors",
    is: "fact",
    isRoomy: true,
    cell: ({ errors }) =>
      Object.entries(errors).map(([kind, count]) => (
        <div key={kind}>
          {count} <code class="kind">{kind}</code>
        </div>
      )),
  },
];

interface GradedRow {
  readonly id: string;
  readonly runs: ReadonlyMap<string, readonly EvalRowJson[]>;
}

function rowsById(rows: readonly EvalRowJson[]): readonly GradedRow[] {
  const found = new Map<string, Map<string, EvalRowJson[]>>();
  for (const row of rows) {
    const runs = found.get(row.id) ?? new Map<string, EvalRowJson[]>();
    runs.set(row.variant, [...(runs.get(row.variant) ?? []), row]);
    found.set(row.id, runs);
  }
  return [...found].map(([id, runs]) => ({ id, runs }));
}

function Rows({ one }: { readonly one: EvalJson }) {
  const isDiffering = useSignal(false);
  const differing = new Set(one.differences.map(({ id }) => id));
  const rows = rowsById(one.rows).filter(({ id }) => !isDiffering.value || differing.has(id));
  const columns: readonly Column<GradedRow>[] = [
    { head: "Row", cell: ({ id }) => <strong>{id}</strong> },
    ...one.summary.map(({ variant }) => ({
      head: variant,
      cell: ({ runs }: GradedRow) => (runs.get(variant) ?? []).map((row) => <OneRun row={row} key={row.run_id} />),
    })),
  ];
  return (
    <>
      <div class="row wrap">
        <h2>Rows</h2>
        {differing.size > 0 && (
          <button
            type="button"
            class="chip"
            aria-pressed={isDiffering.value}
            onClick={() => (isDiffering.value = !isDiffering.value)}
          >
            only the {differing.size} on which variants differ
          </button>
        )}
      </div>
      <Table columns={columns} rows={rows} nameOf={({ id }) => id} />
    </>
  );
}

function OneRun({ row }: { readonly row: EvalRowJson }) {
  const { passed, run_id, status, why, grades, kind } = row;
  const end = passed
    ? ({ state: "completed", word: "passed" } as const)
    : ({ state: "failed", word: "failed" } as const);
  const mark = <StepState {...(passed === null ? { state: "pending", word: "not measured" } : end)} />;
  const failed = grades.filter((grade) => grade.passed === false);
  return (
    <div class="eval-run">
      {status === "not_run" ? mark : <a href={runPath(run_id)}>{mark}</a>}
      {kind !== null && (
        <>
          {" "}
          <code class="kind">{kind}</code>
        </>
      )}
      {why !== null && <div class="soft small">{why}</div>}
      {failed.map(({ name, why: reason }) => (
        <div class="soft small" key={name}>
          {name}
          {reason !== null && `: ${reason}`}
        </div>
      ))}
    </div>
  );
}
