// Everything that waits for a person.
import { useEffect } from "preact/hooks";
import type { GatesJson } from "../../../server/contract/gates.ts";
import { get } from "../../api/client.ts";
import { followList } from "../../api/stream.ts";
import { Pane } from "../../parts/pane.tsx";
import { useFindable } from "../../shell/found.ts";
import { query } from "../../state/address.ts";
import { useKeys } from "../../state/keys.ts";
import { useLoaded } from "../../state/loaded.ts";
import { countGates } from "../../state/waiting.ts";
import { GateCard } from "./card.tsx";

const AGAIN_MS = 400;

export function GatesView() {
  const loaded = useLoaded((signal) => get<GatesJson>("/api/gates", {}, signal), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = followList(() => {
      clearTimeout(timer);
      timer = setTimeout(loaded.reload, AGAIN_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [loaded]);
  const only = query.value["run"];
  useKeys([
    { keys: ["j"], does: "Next question", run: () => focusCard(1) },
    { keys: ["k"], does: "Question before", run: () => focusCard(-1) },
  ]);
  useFindable(
    () =>
      (loaded.value.peek()?.gates ?? []).map((gate) => ({
        text: `${gate.workflow} ${gate.node_id}`,
        what: "gate",
        run: () => document.getElementById(gate.id)?.focus(),
      })),
    [loaded],
  );
  return (
    <main class="view">
      <div class="padded stack narrow">
        <h1>Gates</h1>
        <Pane loaded={loaded} what="The gates">
          {({ gates }) => {
            const shown = only ? gates.filter((gate) => gate.run_id === only) : gates;
            if (shown.length === 0)
              return (
                <div class="empty">
                  <h2>Nobody is asked anything</h2>
                  <p>
                    A run that comes to a <code>human_gate</code> or to <code>questions</code> waits here for an answer.
                    In a terminal:
                  </p>
                  <pre class="code">segno gate list</pre>
                </div>
              );
            return shown.map((gate) => (
              <GateCard
                gate={gate}
                key={gate.id}
                answered={() => {
                  loaded.reload();
                  countGates();
                }}
              />
            ));
          }}
        </Pane>
      </div>
    </main>
  );
}

function focusCard(by: number): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".gate")];
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  cards[Math.max(0, Math.min(cards.length - 1, here + by))]?.focus();
}
