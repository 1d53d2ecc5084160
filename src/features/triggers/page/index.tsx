// What starts runs by itself: when each trigger fires next, what it has fired, pausing it, and firing it by hand.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { apiPath, postJson } from "../../../frontends/page/api/client.ts";
import { serverNow } from "../../../frontends/page/api/clock.ts";
import { Button, type State, StepState } from "../../../frontends/page/parts/button.tsx";
import { Dialog } from "../../../frontends/page/parts/dialog.tsx";
import { AskedText } from "../../../frontends/page/parts/field.tsx";
import { Empty, Pane, RefusalNote, View } from "../../../frontends/page/parts/pane.tsx";
import { type Column, Table } from "../../../frontends/page/parts/table.tsx";
import { say } from "../../../frontends/page/parts/toast.tsx";
import { isReadOnly, runPath, tell, workflowPath } from "../../../frontends/page/state/actions.ts";
import { addressOf, change, query } from "../../../frontends/page/state/address.ts";
import { useAnswer, useSending } from "../../../frontends/page/state/loaded.ts";
import { agoText, dayAndTime, inText, shortId } from "../../../frontends/page/text.ts";
import { becameOf, firingBody, setOffBy } from "../../../frontends/page/views/operator-words.ts";
import type {
  FiredJson,
  FiringJson,
  HistoryJson,
  TriggerJson,
  TriggersJson,
} from "../../../frontends/server/contract/operations.ts";

/** After one was fired: its run has begun by then. */
const SOON_MS = 1500;

export function TriggersView() {
  const loaded = useAnswer<TriggersJson>("/api/triggers", {}, 5000);
  const firing = useSignal<TriggerJson | null>(null);
  const setPaused = async ({ name }: TriggerJson, paused: boolean): Promise<void> => {
    await tell(async () => {
      await postJson<TriggersJson>(apiPath("triggers", name, "pause"), { paused });
      return paused ? `${name} is paused. What comes meanwhile is not caught up with.` : `${name} fires again.`;
    });
    loaded.reload();
  };
  const actions: Column<TriggerJson> = {
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
  };
  const chosen = query.value["trigger"];
  return (
    <View title="Triggers">
      <Pane loaded={loaded} what="The triggers">
        {({ triggers }) => {
          const shown = triggers.find(({ name }) => name === chosen);
          return triggers.length === 0 ? (
            <Empty title="No trigger here" command="segno trust">
              Schedules, webhooks and runs that follow runs stand in a project's <code>segno.yaml</code>, and fire once
              it is trusted. In a terminal:
            </Empty>
          ) : (
            <>
              <Table columns={[...COLUMNS, actions]} rows={triggers} nameOf={({ name }) => name} />
              {shown && <TriggerHistory name={shown.name} version={JSON.stringify(shown.last)} key={shown.name} />}
            </>
          );
        }}
      </Pane>
      {firing.value && (
        <FireDialog
          trigger={firing.value}
          close={() => (firing.value = null)}
          fired={() => setTimeout(loaded.reload, SOON_MS)}
        />
      )}
    </View>
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
  return last.run_id === null ? <span>{text}</span> : <a href={runPath(last.run_id)}>{text}</a>;
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
const BADLY: Readonly<Record<string, State>> = { failed: "failed", degraded: "recovered", cancelled: "cancelled" };

const stateOf = ({ status, reason }: FiringJson): State =>
  (status === "ended" ? BADLY[reason ?? ""] : undefined) ?? STATES[status] ?? "pending";

const FIRINGS: readonly Column<FiringJson>[] = [
  { head: "Fired", cell: ({ fired_at }) => <span title={fired_at}>{agoText(fired_at, serverNow.value)}</span> },
  { head: "Set off by", is: "fact", cell: (firing) => setOffBy(firing, serverNow.value) },
  { head: "What became of it", cell: (firing) => <StepState state={stateOf(firing)} word={becameOf(firing)} /> },
  { head: "Run", is: "fact", cell: ({ run_id }) => run_id !== null && <a href={runPath(run_id)}>{shortId(run_id)}</a> },
];

/** What one trigger has fired, newest first. `version` changes when there may be more of it. */
function TriggerHistory({ name, version }: { readonly name: string; readonly version: string }) {
  const loaded = useAnswer<HistoryJson>(apiPath("triggers", name, "history"), { limit: 50 });
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
              <Table columns={FIRINGS} rows={firings} nameOf={({ fired_at, run_id }) => `${fired_at} ${run_id}`} />
            )}
          </>
        )}
      </Pane>
    </section>
  );
}

interface FireDialogProps {
  readonly trigger: TriggerJson;
  readonly close: () => void;
  readonly fired: () => void;
}

const ASKS = {
  schedule: null,
  webhook: { label: "What the webhook would bring, as JSON", rows: 6 },
  run: { label: "The run that ended: its id, or the beginning or end of it", rows: 1 },
} as const;

/** Firing by hand is asked for first: it starts a run that may act. What would have set the trigger off is given here. */
function FireDialog({ trigger, close, fired }: FireDialogProps) {
  const { name, workflow, set_off_by, when } = trigger;
  const asks = ASKS[set_off_by];
  const text = useSignal("");
  const { isSending, problem, send } = useSending();
  const fire = (): Promise<void> =>
    send(async () => {
      const body = firingBody(set_off_by, text.value);
      if (typeof body === "string") throw new Error(body);
      await postJson<FiredJson>(apiPath("triggers", name, "fire"), body);
      say(`Fired ${name}.`);
      close();
      fired();
    });
  return (
    <Dialog
      title={`Fire ${name}?`}
      close={close}
      no="Leave it"
      yes={{ icon: "play", label: "Fire it now", "aria-disabled": isSending.value, onClick: () => void fire() }}
    >
      <div class="stack">
        <p>
          This starts a run of <code>{workflow}</code>, whatever else of this trigger goes on
          {when === null ? "" : ", and whether its `when` is true or not"}. It is recorded in your name.
        </p>
        {asks && <AskedText {...asks} value={text.value} set={(written) => (text.value = written)} />}
        <RefusalNote text={problem.value} />
      </div>
    </Dialog>
  );
}
