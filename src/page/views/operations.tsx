// What an operator looks at: limits on calls to models, circuit breakers, and the workers of a fleet.
import type {
  BreakerJson,
  BreakersJson,
  LimitJson,
  LimitsJson,
  ResetWaitJson,
  WorkerJson,
  WorkersJson,
} from "../../server/contract/operations.ts";
import { apiPath, get, postJson } from "../api/client.ts";
import { Button, type State, StepState } from "../parts/button.tsx";
import { Empty, Pane } from "../parts/pane.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { agoText, durationText, plural, shortId } from "../parts/text.ts";
import { say } from "../parts/toast.tsx";
import { isReadOnly, sayProblem } from "../state/actions.ts";
import { addressOf } from "../state/address.ts";
import { serverNow } from "../state/clock.ts";
import { useLoaded, useRepeated } from "../state/loaded.ts";
import { queueText } from "./operator-words.ts";

const LIMITS_AGAIN_MS = 3000;

export function LimitsView() {
  const loaded = useLoaded((signal) => get<LimitsJson>("/api/limits", {}, signal), []);
  useRepeated(loaded.reload, LIMITS_AGAIN_MS);
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Limits</h1>
        <Pane loaded={loaded} what="The limits">
          {({ limits, resets }) => (
            <>
              {resets.length > 0 && (
                <>
                  <h2>Waiting for a reset</h2>
                  <Table columns={RESETS} rows={resets} nameOf={({ run_id, node_id }) => `${run_id} ${node_id}`} />
                </>
              )}
              {limits.length === 0 && resets.length === 0 ? (
                <Empty title="No limit yet" command="segno limits">
                  A limit is shown from the first call that it holds for: <code>limits:</code> in{" "}
                  <code>segno.yaml</code> or in <code>runtime</code> of a workflow. In a terminal:
                </Empty>
              ) : (
                limits.length > 0 && (
                  <>
                    {resets.length > 0 && <h2>Limits of your own</h2>}
                    <Table columns={LIMITS} rows={limits} nameOf={({ name }) => name} />
                  </>
                )
              )}
            </>
          )}
        </Pane>
      </div>
    </main>
  );
}

const LIMITS: readonly Column<LimitJson>[] = [
  { head: "Limit", cell: ({ name }) => <code>{name}</code> },
  { head: "Requests", is: "fact", cell: ({ requests }) => <Use use={requests} what="requests" /> },
  { head: "Input tokens", is: "fact", cell: ({ input_tokens }) => <Use use={input_tokens} what="input tokens" /> },
  {
    head: "At a time",
    is: "fact",
    cell: ({ concurrent }) => concurrent && `${concurrent.used} of ${concurrent.most}`,
  },
  { head: "Waiting", is: "fact", cell: ({ waiting }) => <Waiting waiting={waiting} /> },
  {
    head: "Closed",
    is: "fact",
    cell: ({ closed_until, closed_by }) => closed_until && `${leftText(closed_until)}, ${closed_by ?? ""}`,
  },
];

const RESETS: readonly Column<ResetWaitJson>[] = [
  { head: "Run", cell: ({ run_id, workflow }) => <a href={`/runs/${run_id}`}>{workflow}</a> },
  { head: "Step", cell: ({ node_id }) => <code>{node_id}</code> },
  { head: "Error", cell: ({ kind }) => <code>{kind}</code> },
  { head: "Resets", is: "fact", cell: ({ until }) => `in ${leftText(until)}` },
];

function Use({ use, what }: { readonly use: LimitJson["requests"]; readonly what: string }) {
  if (!use) return null;
  return (
    <span class="row">
      <meter min={0} max={use.per_minute} value={use.used} aria-label={`${what} used of this minute's`} />
      {use.used} of {use.per_minute} a minute
    </span>
  );
}

function Waiting({ waiting }: Pick<LimitJson, "waiting">) {
  const [first] = waiting;
  if (!first) return null;
  const runs = new Set(waiting.map(({ run_id }) => run_id)).size;
  return (
    <span>
      {plural(waiting.length, "call")} of{" "}
      {runs === 1 ? <a href={`/runs/${first.run_id}`}>one run</a> : plural(runs, "run")}, for{" "}
      {durationText(Math.max(0, serverNow.value - Date.parse(first.since)))}
    </span>
  );
}

const leftText = (until: string): string =>
  durationText(Math.max(0, Math.ceil((Date.parse(until) - serverNow.value) / 1000) * 1000));

const AGAIN_MS = 5000;
const STATES: Readonly<Record<BreakerJson["status"], State>> = {
  open: "failed",
  half_open: "retrying",
  closed: "completed",
};

export function BreakersView() {
  const loaded = useLoaded((signal) => get<BreakersJson>("/api/breakers", {}, signal), []);
  useRepeated(loaded.reload, AGAIN_MS);
  const reset = async ({ name, opened_at }: BreakerJson): Promise<void> => {
    try {
      await postJson<BreakersJson>(apiPath("breakers", name, "reset"), { opened_at });
      say(`${name} is closed.`);
    } catch (error) {
      sayProblem(error);
    }
    loaded.reload();
  };
  const columns: readonly Column<BreakerJson>[] = [
    {
      head: "State",
      cell: ({ status }) => <StepState state={STATES[status]} word={status.replace("_", " ")} />,
    },
    { head: "Name", cell: ({ name }) => <code>{name}</code> },
    { head: "Failures", is: "number", cell: ({ failures }) => failures },
    { head: "Opened", is: "fact", cell: openedText },
    { head: "Next probe", is: "fact", cell: probeText },
    {
      head: "Actions",
      is: "actions",
      cell: (breaker) =>
        breaker.status !== "closed" &&
        !isReadOnly() && <Button is="low" label="Reset" onClick={() => void reset(breaker)} />,
    },
  ];
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Breakers</h1>
        <Pane loaded={loaded} what="The breakers">
          {({ breakers }) =>
            breakers.length === 0 ? (
              <Empty title="No breaker yet" command="segno breakers">
                A circuit breaker is made by the first call that one guards, in a workflow with <code>resilience:</code>
                . In a terminal:
              </Empty>
            ) : (
              <Table columns={columns} rows={breakers} nameOf={({ name }) => name} />
            )
          }
        </Pane>
      </div>
    </main>
  );
}

function probeText({ next_probe_at }: BreakerJson): string {
  if (next_probe_at === null) return "";
  const left = Date.parse(next_probe_at) - serverNow.value;
  return left <= 0 ? "with the next call" : `in ${durationText(Math.ceil(left / 1000) * 1000)}`;
}

const openedText = ({ opened_at, reset }: BreakerJson): string =>
  reset ? `reset by ${reset.by}, ${agoText(reset.at, serverNow.value)}` : agoText(opened_at, serverNow.value);

const WORKERS_AGAIN_MS = 3000;

const WORKERS: readonly Column<WorkerJson>[] = [
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
  useRepeated(loaded.reload, WORKERS_AGAIN_MS);
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
                  <Table columns={WORKERS} rows={workers} nameOf={({ id }) => id} />
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
