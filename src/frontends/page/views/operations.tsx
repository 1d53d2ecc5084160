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
import { apiPath, postJson } from "../api/client.ts";
import { serverNow } from "../api/clock.ts";
import { Button, type State, StepState } from "../parts/button.tsx";
import { Empty, Pane, View } from "../parts/pane.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { isReadOnly, runPath, tell } from "../state/actions.ts";
import { addressOf } from "../state/address.ts";
import { useAnswer } from "../state/loaded.ts";
import { agoText, durationText, leftText, plural, shortId } from "../text.ts";
import { queueText } from "./operator-words.ts";

const LIMITS: readonly Column<LimitJson>[] = [
  { head: "Limit", cell: ({ name }) => <code>{name}</code> },
  { head: "Requests", is: "fact", cell: ({ requests }) => <Use use={requests} what="requests" /> },
  { head: "Input tokens", is: "fact", cell: ({ input_tokens }) => <Use use={input_tokens} what="input tokens" /> },
  { head: "At a time", is: "fact", cell: ({ concurrent }) => concurrent && `${concurrent.used} of ${concurrent.most}` },
  { head: "Waiting", is: "fact", cell: ({ waiting }) => <Waiting waiting={waiting} /> },
  {
    head: "Closed",
    is: "fact",
    cell: ({ closed_until, closed_by }) =>
      closed_until && `${leftText(closed_until, serverNow.value)}, ${closed_by ?? ""}`,
  },
];

const RESETS: readonly Column<ResetWaitJson>[] = [
  { head: "Run", cell: ({ run_id, workflow }) => <a href={runPath(run_id)}>{workflow}</a> },
  { head: "Step", cell: ({ node_id }) => <code>{node_id}</code> },
  { head: "Error", cell: ({ kind }) => <code>{kind}</code> },
  { head: "Resets", is: "fact", cell: ({ until }) => `in ${leftText(until, serverNow.value)}` },
];

export function LimitsView() {
  const loaded = useAnswer<LimitsJson>("/api/limits", {}, 3000);
  return (
    <View title="Limits">
      <Pane loaded={loaded} what="The limits">
        {({ limits, resets }) => (
          <>
            {resets.length > 0 && (
              <>
                <h2>Waiting for a reset</h2>
                <Table columns={RESETS} rows={resets} nameOf={({ run_id, node_id }) => `${run_id} ${node_id}`} />
              </>
            )}
            {limits.length === 0 && resets.length === 0 && (
              <Empty title="No limit yet" command="segno limits">
                A limit is shown from the first call that it holds for: <code>limits:</code> in <code>segno.yaml</code>{" "}
                or in <code>runtime</code> of a workflow. In a terminal:
              </Empty>
            )}
            {limits.length > 0 && resets.length > 0 && <h2>Limits of your own</h2>}
            {limits.length > 0 && <Table columns={LIMITS} rows={limits} nameOf={({ name }) => name} />}
          </>
        )}
      </Pane>
    </View>
  );
}

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
      {runs === 1 ? <a href={runPath(first.run_id)}>one run</a> : plural(runs, "run")}, for{" "}
      {durationText(Math.max(0, serverNow.value - Date.parse(first.since)))}
    </span>
  );
}

const BREAKERS: Readonly<Record<BreakerJson["status"], State>> = {
  open: "failed",
  half_open: "retrying",
  closed: "completed",
};

export function BreakersView() {
  const loaded = useAnswer<BreakersJson>("/api/breakers", {}, 5000);
  const reset = async ({ name, opened_at }: BreakerJson): Promise<void> => {
    await tell(async () => {
      await postJson<BreakersJson>(apiPath("breakers", name, "reset"), { opened_at });
      return `${name} is closed.`;
    });
    loaded.reload();
  };
  const columns: readonly Column<BreakerJson>[] = [
    { head: "State", cell: ({ status }) => <StepState state={BREAKERS[status]} word={status.replace("_", " ")} /> },
    { head: "Name", cell: ({ name }) => <code>{name}</code> },
    { head: "Failures", is: "number", cell: ({ failures }) => failures },
    {
      head: "Opened",
      is: "fact",
      cell: ({ opened_at, reset: closed }) =>
        `${closed ? `reset by ${closed.by}, ` : ""}${agoText(closed?.at ?? opened_at, serverNow.value)}`,
    },
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
    <View title="Breakers">
      <Pane loaded={loaded} what="The breakers">
        {({ breakers }) =>
          breakers.length === 0 ? (
            <Empty title="No breaker yet" command="segno breakers">
              A circuit breaker is made by the first call that one guards, in a workflow with <code>resilience:</code>.
              In a terminal:
            </Empty>
          ) : (
            <Table columns={columns} rows={breakers} nameOf={({ name }) => name} />
          )
        }
      </Pane>
    </View>
  );
}

function probeText({ next_probe_at: at }: BreakerJson): string {
  if (at === null) return "";
  return Date.parse(at) <= serverNow.value ? "with the next call" : `in ${leftText(at, serverNow.value)}`;
}

const WORKERS: readonly Column<WorkerJson>[] = [
  {
    head: "State",
    cell: ({ draining, runs, other_runs }) => {
      if (draining) return <StepState state="cancelled" word="leaving" />;
      const isIdle = runs.length + other_runs === 0;
      return <StepState state={isIdle ? "completed" : "running"} word={isIdle ? "idle" : "drives"} />;
    },
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
    cell: ({ since }) => <span title={since ?? ""}>{agoText(since, serverNow.value)}</span>,
  },
  { head: "Last sign of life", is: "fact", cell: ({ silent_ms }) => `${durationText(silent_ms)} ago` },
  { head: "Version", is: "fact", isRoomy: true, cell: ({ version }) => version },
];

function RunsOf({ worker: { runs, other_runs, concurrency } }: { readonly worker: WorkerJson }) {
  return (
    <>
      <div>
        {runs.length + other_runs} of {concurrency ?? "?"}
      </div>
      {runs.map(({ run_id, workflow }) => (
        <div key={run_id}>
          <a href={runPath(run_id)}>
            {workflow} <code>{shortId(run_id)}</code>
          </a>
        </div>
      ))}
      {other_runs > 0 && <div class="soft">{plural(other_runs, "run")} of workflows elsewhere</div>}
    </>
  );
}

export function WorkersView() {
  const loaded = useAnswer<WorkersJson>("/api/workers", {}, 3000);
  return (
    <View title="Workers">
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
    </View>
  );
}
