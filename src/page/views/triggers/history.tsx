// What one trigger has fired, newest first.
import { useEffect } from "preact/hooks";
import type { FiringJson, HistoryJson, TriggerJson } from "../../../server/contract/triggers.ts";
import { apiPath, get } from "../../api/client.ts";
import { Pane } from "../../parts/pane.tsx";
import { type State, StepState } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { agoText, shortId } from "../../parts/text.ts";
import { change } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { becameOf } from "./became-of.ts";
import { setOffBy } from "./set-off-by.ts";

const STATES: Readonly<Record<string, State>> = {
  fired: "running",
  waits: "waiting",
  ended: "completed",
  skipped: "cancelled",
  failed: "failed",
};
/** Runs that ended otherwise than well. */
const BADLY: Readonly<Record<string, State>> = { failed: "failed", degraded: "recovered", cancelled: "cancelled" };

const stateOf = ({ status, reason }: FiringJson): State =>
  (status === "ended" ? BADLY[reason ?? ""] : undefined) ?? STATES[status] ?? "pending";

const COLUMNS: readonly Column<FiringJson>[] = [
  {
    head: "Fired",
    cell: ({ fired_at }) => <span title={fired_at}>{agoText(fired_at, serverNow.value)}</span>,
  },
  { head: "Set off by", is: "fact", cell: (firing) => setOffBy(firing, serverNow.value) },
  { head: "What became of it", cell: (firing) => <StepState state={stateOf(firing)} word={becameOf(firing)} /> },
  {
    head: "Run",
    is: "fact",
    cell: ({ run_id }) => run_id !== null && <a href={`/runs/${run_id}`}>{shortId(run_id)}</a>,
  },
];

/** `version` changes when there may be more of it. */
export function TriggerHistory({ trigger, version }: { readonly trigger: TriggerJson; readonly version: string }) {
  const { name } = trigger;
  const loaded = useLoaded(
    (signal) => get<HistoryJson>(apiPath("triggers", name, "history"), { limit: 50 }, signal),
    [name],
  );
  useEffect(() => {
    if (loaded.value.peek()) loaded.reload();
  }, [version]);
  return (
    <section class="stack">
      <div class="row">
        <h2>What {name} has fired</h2>
        <span class="grow" />
        <button type="button" class="button low" onClick={() => change({ trigger: null })}>
          Close
        </button>
      </div>
      <Pane loaded={loaded} what="The history">
        {({ firings, hindered }) => (
          <>
            {hindered.map((why) => (
              <p class="note" key={why}>
                {why}
              </p>
            ))}
            {firings.length === 0 ? (
              <p class="soft">Nothing yet.</p>
            ) : (
              <Table columns={COLUMNS} rows={firings} nameOf={({ fired_at, run_id }) => `${fired_at} ${run_id}`} />
            )}
          </>
        )}
      </Pane>
    </section>
  );
}
