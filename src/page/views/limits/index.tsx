// Limits on calls to models: what is used of each, who waits for a turn, and which runs wait for a provider's reset.
import type { LimitJson, LimitsJson, ResetWaitJson } from "../../../server/contract/operations.ts";
import { get } from "../../api/client.ts";
import { Empty, Pane } from "../../parts/pane.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { durationText, plural } from "../../parts/text.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded, useRepeated } from "../../state/loaded.ts";

const AGAIN_MS = 3000;

export function LimitsView() {
  const loaded = useLoaded((signal) => get<LimitsJson>("/api/limits", {}, signal), []);
  useRepeated(loaded.reload, AGAIN_MS);
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
