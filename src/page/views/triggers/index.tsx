// What starts runs by itself: when each trigger fires next, and what became of its last firing.
import type { TriggerJson, TriggersJson } from "../../../server/contract/triggers.ts";
import { get } from "../../api/client.ts";
import { Pane } from "../../parts/pane.tsx";
import { agoText, durationText } from "../../parts/text.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { useRepeated } from "../../state/repeated.ts";
import { becameOf } from "./became-of.ts";

const AGAIN_MS = 5000;

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
              <div class="empty">
                <h2>No trigger here</h2>
                <p>
                  Schedules, webhooks and runs that follow runs stand in a project's <code>segno.yaml</code>, and fire
                  once it is trusted. In a terminal:
                </p>
                <pre class="code">segno trust</pre>
              </div>
            ) : (
              <table class="lined">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Workflow</th>
                    <th scope="col">Fires</th>
                    <th scope="col">Next</th>
                    <th scope="col">Last</th>
                  </tr>
                </thead>
                <tbody>
                  {triggers.map((trigger) => (
                    <tr key={trigger.name}>
                      <td>
                        <strong>{trigger.name}</strong>
                      </td>
                      <td>
                        <a href={`/workflows/${trigger.workflow}`}>{trigger.workflow}</a>
                      </td>
                      <td class="soft">{trigger.fires}</td>
                      <td class="soft">{nextText(trigger)}</td>
                      <td class="soft">
                        <LastFiring trigger={trigger} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
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
