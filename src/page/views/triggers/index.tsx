// What starts runs by itself: when each trigger fires next, and what became of its last firing.
import type { TriggerJson, TriggersJson } from "../../../server/contract/triggers.ts";
import { get } from "../../api/client.ts";
import { Empty } from "../../parts/empty.tsx";
import { Pane } from "../../parts/pane.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { agoText, durationText } from "../../parts/text.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { useRepeated } from "../../state/repeated.ts";
import { becameOf } from "./became-of.ts";

const AGAIN_MS = 5000;
const COLUMNS: readonly Column<TriggerJson>[] = [
  { head: "Name", cell: ({ name }) => <strong>{name}</strong> },
  { head: "Workflow", cell: ({ workflow }) => <a href={`/workflows/${workflow}`}>{workflow}</a> },
  { head: "Fires", is: "fact", cell: ({ fires }) => fires },
  { head: "Next", is: "fact", cell: (trigger) => nextText(trigger) },
  { head: "Last", is: "fact", cell: (trigger) => <LastFiring trigger={trigger} /> },
];

export function TriggersView() {
  const loaded = useLoaded((signal) => get<TriggersJson>("/api/triggers", {}, signal), []);
  useRepeated(loaded.reload, AGAIN_MS);
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Triggers</h1>
        <Pane loaded={loaded} what="The triggers">
          {({ triggers }) =>
            triggers.length === 0 ? (
              <Empty title="No trigger here" command="segno trust">
                Schedules, webhooks and runs that follow runs stand in a project's <code>segno.yaml</code>, and fire
                once it is trusted. In a terminal:
              </Empty>
            ) : (
              <Table columns={COLUMNS} rows={triggers} nameOf={({ name }) => name} />
            )
          }
        </Pane>
      </div>
    </main>
  );
}

function LastFiring({ trigger: { last } }: { readonly trigger: TriggerJson }) {
  if (!last) return <span>never</span>;
  const when = agoText(last.fired_at, serverNow.value);
  const text = `${when}: ${becameOf(last)}`;
  return last.run_id === null ? <span>{text}</span> : <a href={`/runs/${last.run_id}`}>{text}</a>;
}

function nextText({ paused, next_at }: TriggerJson): string {
  if (paused) return "paused";
  if (next_at === null) return "";
  const left = Date.parse(next_at) - serverNow.value;
  return left <= 0 ? "now" : `in ${durationText(Math.ceil(left / 1000) * 1000)}`;
}
