// Circuit breakers: which are open, since when, when they let a call through again, and closing one by hand.
import type { BreakerJson, BreakersJson } from "../../../server/contract/breakers.ts";
import { apiPath, get, postJson } from "../../api/client.ts";
import { Pane } from "../../parts/pane.tsx";
import { type State, StepState } from "../../parts/status.tsx";
import { agoText, durationText } from "../../parts/text.ts";
import { say } from "../../parts/toast.tsx";
import { isReadOnly, sayProblem } from "../../state/actions.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded } from "../../state/loaded.ts";
import { useRepeated } from "../../state/repeated.ts";

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
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Breakers</h1>
        <Pane loaded={loaded} what="The breakers">
          {({ breakers }) =>
            breakers.length === 0 ? (
              <div class="empty">
                <h2>No breaker yet</h2>
                <p>
                  A circuit breaker is made by the first call that one guards, in a workflow with{" "}
                  <code>resilience:</code>. In a terminal:
                </p>
                <pre class="code">segno breakers</pre>
              </div>
            ) : (
              <table class="lined">
                <thead>
                  <tr>
                    <th scope="col">State</th>
                    <th scope="col">Name</th>
                    <th scope="col" class="number">
                      Failures
                    </th>
                    <th scope="col">Opened</th>
                    <th scope="col">Next probe</th>
                    <th scope="col">
                      <span class="only-heard">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {breakers.map((breaker) => (
                    <tr key={breaker.name}>
                      <td>
                        <StepState state={STATES[breaker.status]} word={breaker.status.replace("_", " ")} />
                      </td>
                      <td>
                        <code>{breaker.name}</code>
                      </td>
                      <td class="number">{breaker.failures}</td>
                      <td class="soft">{openedText(breaker)}</td>
                      <td class="soft">{probeText(breaker)}</td>
                      <td class="number">
                        {breaker.status !== "closed" && !isReadOnly() && (
                          <button type="button" class="button low" onClick={() => void reset(breaker)}>
                            Reset
                          </button>
                        )}
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

function probeText({ next_probe_at }: BreakerJson): string {
  if (next_probe_at === null) return "";
  const left = Date.parse(next_probe_at) - serverNow.value;
  return left <= 0 ? "with the next call" : `in ${durationText(Math.ceil(left / 1000) * 1000)}`;
}

const openedText = ({ opened_at, reset }: BreakerJson): string =>
  reset ? `reset by ${reset.by}, ${agoText(reset.at, serverNow.value)}` : agoText(opened_at, serverNow.value);
