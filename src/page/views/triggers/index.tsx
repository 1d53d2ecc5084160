// What starts runs by itself: when each trigger fires next, what it has fired, pausing it, and firing it by hand.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FiringJson, HistoryJson, TriggerJson, TriggersJson } from "../../../server/contract/triggers.ts";
import { apiPath, get, postJson } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Pane } from "../../parts/pane.tsx";
import { type State, StepState } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { agoText, dayAndTime, inText, shortId } from "../../parts/text.ts";
import { say } from "../../parts/toast.tsx";
import { isReadOnly, sayProblem, workflowPath } from "../../state/actions.ts";
import { addressOf, change, query } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded, useRepeated } from "../../state/loaded.ts";
import { FireDialog } from "./fire-dialog.tsx";
import { becameOf, setOffBy } from "./trigger-words.ts";

const AGAIN_MS = 5000;
/** After one was fired: its run has begun by then. */
const SOON_MS = 1500;

export function TriggersView() {
  const loaded = useLoaded((signal) => get<TriggersJson>("/api/triggers", {}, signal), []);
  useRepeated(loaded.reload, AGAIN_MS);
  const firing = useSignal<TriggerJson | null>(null);
  const setPaused = async ({ name }: TriggerJson, paused: boolean): Promise<void> => {
    try {
      await postJson<TriggersJson>(apiPath("triggers", name, "pause"), { paused });
      say(paused ? `${name} is paused. What comes meanwhile is not caught up with.` : `${name} fires again.`);
    } catch (error) {
      sayProblem(error);
    }
    loaded.reload();
  };
  const columns: readonly Column<TriggerJson>[] = [
    ...COLUMNS,
    {
      head: "Actions",
      is: "actions",
      cell: (trigger) => (
        <span class="row at-end">
          <a class="button low" href={addressOf("/triggers", { trigger: trigger.name })}>
            History
          </a>
          {!isReadOnly() && (
            <>
              <Button
                is="low"
                label={trigger.paused ? "Resume" : "Pause"}
                onClick={() => void setPaused(trigger, !trigger.paused)}
              />
              <Button is="low" label="Fire" onClick={() => (firing.value = trigger)} />
            </>
          )}
        </span>
      ),
    },
  ];
  const chosen = query.value["trigger"];
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Triggers</h1>
        <Pane loaded={loaded} what="The triggers">
          {({ triggers }) => {
            const shown = triggers.find(({ name }) => name === chosen);
            return triggers.length === 0 ? (
              <Empty title="No trigger here" command="segno trust">
                Schedules, webhooks and runs that follow runs stand in a project's <code>segno.yaml</code>, and fire
                once it is trusted. In a terminal:
              </Empty>
            ) : (
              <>
                <Table columns={columns} rows={triggers} nameOf={({ name }) => name} />
                {shown && <TriggerHistory trigger={shown} version={JSON.stringify(shown.last)} key={shown.name} />}
              </>
            );
          }}
        </Pane>
      </div>
      {firing.value && (
        <FireDialog
          trigger={firing.value}
          close={() => (firing.value = null)}
          fired={() => setTimeout(loaded.reload, SOON_MS)}
        />
      )}
    </main>
  );
}

const COLUMNS: readonly Column<TriggerJson>[] = [
  { head: "Name", cell: ({ name }) => <strong>{name}</strong> },
  { head: "Workflow", cell: ({ workflow }) => <a href={workflowPath(workflow)}>{workflow}</a> },
  { head: "Fires", is: "fact", cell: ({ fires }) => fires },
  { head: "Next", is: "fact", cell: (trigger) => <NextFiring trigger={trigger} /> },
  { head: "Last", is: "fact", cell: (trigger) => <LastFiring trigger={trigger} /> },
];

function LastFiring({ trigger: { last, paused } }: { readonly trigger: TriggerJson }) {
  if (!last) return <span>{paused === null ? "not known" : "never"}</span>;
  const when = agoText(last.fired_at, serverNow.value);
  const text = `${when}: ${becameOf(last)}`;
  return last.run_id === null ? <span>{text}</span> : <a href={`/runs/${last.run_id}`}>{text}</a>;
}

function NextFiring({ trigger: { cell, paused, paused_by, paused_at, next_at } }: { readonly trigger: TriggerJson }) {
  const now = serverNow.value;
  if (paused === null) return <span>not known: the cell {cell} is away</span>;
  if (paused)
    return (
      <span title={paused_at ?? ""}>
        paused{paused_by === null ? "" : ` by ${paused_by}`}
        {paused_at === null ? "" : `, ${agoText(paused_at, now)}`}
      </span>
    );
  if (next_at === null) return null;
  return <span title={next_at}>{`${inText(next_at, now)}, ${dayAndTime(next_at, now)}`}</span>;
}

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

const FIRING_COLUMNS: readonly Column<FiringJson>[] = [
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

/** What one trigger has fired, newest first. `version` changes when there may be more of it. */
function TriggerHistory({ trigger, version }: { readonly trigger: TriggerJson; readonly version: string }) {
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
        <Button is="low" label="Close" onClick={() => change({ trigger: null })} />
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
              <Table
                columns={FIRING_COLUMNS}
                rows={firings}
                nameOf={({ fired_at, run_id }) => `${fired_at} ${run_id}`}
              />
            )}
          </>
        )}
      </Pane>
    </section>
  );
}
